import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { jobSteps, jobs } from '../../db/schema/work.ts'

/** How a server will be signed in to, once the job that changes it has succeeded. */
export type NewLogin = {
  username: string
  sshKeys: string[]
  /** Sealed as in the token; null with keys. */
  password: string | null
}

/** The name of the step that stores it. */
export const REMEMBER = 'remember'

/** Gone from here once it is the token's, or of no use. */
export type WithLogin = { login?: NewLogin }

/** Undefined once it is forgotten: the job has ended, or its last transaction was stored. */
export async function storedLogin(tx: Db, jobId: string): Promise<NewLogin | undefined> {
  const isRemembered = and(eq(jobSteps.jobId, jobId), eq(jobSteps.step, REMEMBER))
  const [row] = await tx.select({ output: jobSteps.output }).from(jobSteps).where(isRemembered)
  return (row?.output as WithLogin | undefined)?.login
}

/** The login, and what its client gave for the first start. */
export async function forgetLogin(tx: Db, jobId: string): Promise<void> {
  await tx
    .update(jobSteps)
    .set({ output: sql`${jobSteps.output} - 'login'` })
    .where(and(eq(jobSteps.jobId, jobId), eq(jobSteps.step, REMEMBER)))
  await tx
    .update(jobs)
    .set({ input: sql`${jobs.input} - 'userData'` })
    .where(eq(jobs.id, jobId))
}

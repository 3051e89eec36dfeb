import { eq } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { handovers } from '../../db/schema/handovers.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { HandoverInput, HandoverJob } from './handover-job.ts'

type BeginDeps = { jobs: Pick<Jobs, 'enqueue'>; handover: HandoverJob }

/** Begins the job that replaces the login, for the account that has the server now. */
export async function beginHandover(
  tx: Db,
  input: Omit<HandoverInput, 'wasOn'>,
  ownerId: number,
  { jobs, handover }: BeginDeps,
): Promise<string> {
  const jobId = await jobs.enqueue(tx, handover, input, { ownerId })
  await tx.update(handovers).set({ jobId }).where(eq(handovers.id, input.handoverId))
  return jobId
}

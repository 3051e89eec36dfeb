import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { jobSteps } from '../../db/schema/work.ts'
import type { Seed } from '../../hypervisor/port/seed.ts'
import { instanceById, vmOf } from '../../inventory/vm/instance-row.ts'
import type { JobDeps } from '../../runtime/deps.ts'

/** The name of the step that stores it. */
export const PLAN = 'plan-seed'

/** An image that may exist on a cluster, stored before it is uploaded. */
export type PlannedSeed = { seed: Seed; clusterId: number; instanceId: number }
/** Gone from here once the image is deleted. */
export type Plan = { planned?: PlannedSeed }

/** The image of a VM that is gone is deleted all the same. */
export async function withdraw(
  { db, hypervisors }: Pick<JobDeps, 'db' | 'hypervisors'>,
  { seed, clusterId, instanceId }: PlannedSeed,
): Promise<void> {
  const { hypervisor } = hypervisors.of(clusterId)
  const instance = await instanceById(db, instanceId)
  await hypervisor.withdrawSeed(instance && (await vmOf(db, instance)), seed)
}

export const forgetSeed = (db: Db, jobId: string) =>
  db
    .update(jobSteps)
    .set({ output: sql`${jobSteps.output} - 'planned'` })
    .where(and(eq(jobSteps.jobId, jobId), eq(jobSteps.step, PLAN)))

import { restoreJobs } from './backup/restore-job.ts'
import { vzdumpJobs } from './backup/vzdump-job.ts'
import type { Context } from './context/context.ts'
import { cloneJobs } from './jobs/clone.ts'
import { configJobs } from './jobs/config.ts'
import { consoleJobs } from './jobs/console.ts'
import { diskJobs } from './jobs/disks.ts'
import { imageJobs } from './jobs/images.ts'
import { powerJobs } from './jobs/power.ts'
import type { Jobs } from './jobs/shared.ts'
import { snapshotJobs } from './jobs/snapshots.ts'

/** Every kind of worker, by the name kept in the task. */
export const allJobs = (sim: Context): Jobs => ({
  ...powerJobs(sim),
  ...cloneJobs(sim),
  ...diskJobs(sim),
  ...configJobs(sim),
  ...snapshotJobs(sim),
  ...vzdumpJobs(sim),
  ...restoreJobs(sim),
  ...imageJobs(sim),
  ...consoleJobs(sim),
})

import type { Context } from '../context/context.ts'
import { cloneJobs } from './clone.ts'
import { configJobs } from './config.ts'
import { consoleJobs } from './console.ts'
import { diskJobs } from './disks.ts'
import { imageJobs } from './images.ts'
import { powerJobs } from './power.ts'
import type { Jobs } from './shared.ts'

/** Every kind of worker, by the name kept in the task. New kinds (snapshot, vzdump) go here. */
export const allJobs = (sim: Context): Jobs => ({
  ...powerJobs(sim),
  ...cloneJobs(sim),
  ...diskJobs(sim),
  ...configJobs(sim),
  ...imageJobs(sim),
  ...consoleJobs(sim),
})

import type { Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { keepRate } from '../../traffic/server-rate.ts'
import type { HoldInput } from './held-server.ts'

/** Before a server starts again: its card has the rate of this moment, slowed or not. */
export function rateStep<Input extends HoldInput>(deps: JobDeps): Step<Input> {
  const run = ({ input }: { input: Input }) => keepRate(deps, input.instanceId)
  return { name: 'rate', run }
}

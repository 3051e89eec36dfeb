import { checkFirewall } from '../../firewalls/server-firewall.ts'
import type { Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import type { HoldInput } from './held-server.ts'

/** Before a server starts with another disk: its firewall is looked at, and set again if need be. */
export function firewallStep<Input extends HoldInput>(deps: JobDeps): Step<Input> {
  const run = async ({ input }: { input: Input }) => ({
    faults: await checkFirewall(deps, input.instanceId),
  })
  return { name: 'firewall', run }
}

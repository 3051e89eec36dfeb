import { useQueryClient } from '@tanstack/react-query'
import { isUnderWay, type PowerAct, UNDER_WAY } from '#shared/rules/instance/instance-power.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { showStatus } from './power-cache.ts'
import { type Audience, DONE, powerFailure } from './power-words.ts'
import type { Powered } from './powered.ts'

const EVERYWHERE = [api.servers.get, api.servers.activity, api.instances.status, api.stats.get]
const ADMIN_LISTS = [...EVERYWHERE, api.instances.list, api.dashboard.clients]
const CLIENT_LISTS = [...EVERYWHERE, api.client.instances]

/** The actions that run on a press. A hard stop needs confirmation: `askToStop`. */
export const usePower = (act: Exclude<PowerAct, 'stop'>, audience: Audience) =>
  useAct(act, audience)

/** Switches off at once; used only by the dialog that asks first. */
export const usePowerOff = (audience: Audience) => useAct('stop', audience)

/** Shows the action at once; a refusal restores the old state. */
function useAct(act: PowerAct, audience: Audience) {
  const client = useQueryClient()
  const refresh = audience === 'admin' ? ADMIN_LISTS : CLIENT_LISTS
  const power = useAction(api.instances[act], {
    // An action under way is not reported as done; its end is reported when it comes.
    done: ({ status, message }) => ({ title: isUnderWay(status) ? message : DONE[act] }),
    failed: (error) => powerFailure(act, audience, error),
    refresh,
  })

  async function run(instance: Powered) {
    showStatus(client, instance.id, UNDER_WAY[act])
    const outcome = await power.run({ params: { id: instance.id } })
    const status = outcome.ok ? outcome.result.status : instance.status
    showStatus(client, instance.id, status)
    if (outcome.ok && isUnderWay(status)) {
      // Rarely needed: most power actions are done when the call answers.
      const { followPower } = await import('./power-follow.ts')
      await followPower(client, { instance, act, audience, refresh })
    }
  }

  return { run, isPending: power.isPending }
}

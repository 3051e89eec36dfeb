import { useQueryClient } from '@tanstack/react-query'
import { type PowerAct, UNDER_WAY } from '#shared/rules/instance-power.ts'
import { api } from '../api/table.ts'
import { useAction } from '../api/use-action.ts'
import { showStatus } from './power-cache.ts'
import { type Audience, DONE, powerFailure } from './power-words.ts'

const ADMIN_LISTS = [api.instances.list, api.instances.status, api.dashboard.clients, api.stats.get]
const CLIENT_LISTS = [api.client.instances, api.instances.status, api.stats.get]

export type Powered = { id: number; name: string; vmId: number; status: string }

/** Shows at once what it is doing; a refusal puts the old state back. */
export function usePower(act: PowerAct, audience: Audience) {
  const client = useQueryClient()
  const power = useAction(api.instances[act], {
    done: DONE[act],
    failed: (error) => powerFailure(act, audience, error),
    refresh: audience === 'admin' ? ADMIN_LISTS : CLIENT_LISTS,
  })

  async function run(instance: Powered) {
    showStatus(client, instance.id, UNDER_WAY[act])
    const outcome = await power.run({ params: { id: instance.id } })
    showStatus(client, instance.id, outcome.ok ? outcome.result.status : instance.status)
  }

  return { run, isPending: power.isPending }
}

import { useQuery } from '@tanstack/react-query'
import type { TokenType } from '#shared/api/shop/tokens.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'

const NODES_MS = MINUTE_MS

/** The options of the selects in the token forms, for the chosen node. */
export function useTokenChoices({ nodeId, type }: { nodeId: string; type: TokenType }) {
  const id = Number(nodeId)
  const hasNode = id > 0
  const params = { params: { id } }
  const nodes = useQuery({ ...query(api.nodes.list), staleTime: 0, refetchInterval: NODES_MS })
  const systems = useQuery({ ...query(api.operatingSystems.list), staleTime: 0 })
  const templates = useQuery({
    ...query(api.nodes.templates, params),
    staleTime: 0,
    enabled: hasNode && type === 'ip_mac',
  })
  const address = useQuery({
    ...query(api.tokens.nextAddress, { query: { nodeId: id } }),
    staleTime: 0,
    enabled: hasNode && type === 'ip_mac',
  })
  const instances = useInstances(id, hasNode && type === 'ready')
  return { nodes, systems, templates, instances, nextAddress: address.data?.ipAddress ?? null }
}

/** Read through an action: a failure is shown in a toast, as specified. */
function useInstances(nodeId: number, enabled: boolean) {
  const load = useAction(api.instances.list, {
    failed: () => ({ title: 'Error', description: 'Failed to fetch instances' }),
  })
  const input = { query: { nodeId } }
  return useQuery({
    queryKey: query(api.instances.list, input).queryKey,
    queryFn: async () => {
      const outcome = await load.run(input)
      if (outcome.ok) return outcome.result
      throw outcome.error ?? new Error('Failed to fetch instances')
    },
    staleTime: 0,
    enabled,
  })
}

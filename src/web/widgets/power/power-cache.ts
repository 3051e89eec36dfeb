import type { QueryClient } from '@tanstack/react-query'
import type { ActiveClient } from '#shared/api/overview/dashboard.ts'
import { isKeyOf, keyOf } from '../../api/request.ts'
import { api } from '../../api/table.ts'

type WithStatus = { id: number; status: string }

export const withStatus = <T extends WithStatus>(
  rows: readonly T[],
  id: number,
  status: string,
): readonly T[] => rows.map((row) => (row.id === id ? { ...row, status } : row))

const withClientStatus = (
  clients: readonly ActiveClient[],
  id: number,
  status: string,
): readonly ActiveClient[] =>
  clients.map((client) => ({
    ...client,
    activeTokens: client.activeTokens.map((token) =>
      token.instance?.id === id ? { ...token, instance: { ...token.instance, status } } : token,
    ),
  }))

/** Shows a state in every list that contains the instance, until the next read replaces it. */
export function showStatus(client: QueryClient, id: number, status: string) {
  for (const route of [api.instances.list, api.client.instances]) {
    client.setQueriesData<readonly WithStatus[]>(
      { predicate: ({ queryKey }) => isKeyOf(route, queryKey) },
      (rows) => rows && withStatus(rows, id, status),
    )
  }
  for (const route of [api.instances.status, api.servers.get]) {
    client.setQueryData<{ status: string }>(
      keyOf(route, { params: { id } }),
      (shown) => shown && { ...shown, status },
    )
  }
  client.setQueriesData<readonly ActiveClient[]>(
    { predicate: ({ queryKey }) => isKeyOf(api.dashboard.clients, queryKey) },
    (clients) => clients && withClientStatus(clients, id, status),
  )
}

import { useQuery } from '@tanstack/react-query'
import { KeyRound, Network, Server, UserRound } from 'lucide-react'
import { navigate } from 'wouter/use-browser-location'
import { userName } from '#shared/rules/people/user-name.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import { paths, serverPath } from '../../lib/paths/paths.ts'
import { resourcePath } from '../../lib/paths/resource-path.ts'
import type { CommandGroup } from '../../ui/menu/command-list.tsx'
import { usePlaces } from '../../widgets/cluster/use-places.ts'
import { matcher } from '../../widgets/list/matcher.ts'
import { usePowerEntries } from './power-entries.ts'
import { withTerms } from './with-terms.ts'

/** More results are not useful; one more letter narrows them. */
const AT_MOST = 5

/** The first few matches; none before something is typed. */
function pick<T>(search: string, rows: readonly T[] | undefined, texts: (row: T) => unknown[]) {
  if (search.trim() === '') return []
  const fits = matcher(search)
  const found: T[] = []
  for (const row of rows ?? []) {
    if (fits(texts(row).join(' '))) found.push(row)
    if (found.length === AT_MOST) break
  }
  return found
}

const findIn = (path: string, text: string) => () =>
  navigate(`${path}?${new URLSearchParams({ q: text })}`)

/** Servers, tokens, people and nodes, for an administrator. */
export function useFoundByAdmin(search: string): CommandGroup[] {
  const { data: instances } = useQuery(query(api.instances.list))
  const { data: tokens } = useQuery(query(api.tokens.list))
  const { data: users } = useQuery(query(api.users.list))
  const { data: nodes } = useQuery(query(api.nodes.list))
  const places = usePlaces()
  const servers = pick(search, instances, (row) => [
    instanceName(row),
    row.vmId,
    row.ipAddress,
    row.clientName,
    places.clusterOf(row.clusterId),
  ])
  const power = usePowerEntries('admin', search, instances)
  return [
    {
      title: 'Servers',
      entries: servers.map((row) => ({
        id: `instance ${row.id}`,
        icon: Server,
        label: instanceName(row),
        detail: places.isMany ? `VM ${row.vmId}, ${places.nodeOf(row)}` : `VM ${row.vmId}`,
        run: () => navigate(serverPath(row.id)),
      })),
    },
    {
      title: 'Tokens',
      entries: pick(search, tokens, (row) => [row.name, row.tokenId, row.ipAddress]).map((row) => ({
        id: `token ${row.id}`,
        icon: KeyRound,
        label: row.name,
        detail: row.tokenId,
        run: findIn(paths.tokens, row.tokenId),
      })),
    },
    {
      title: 'People',
      entries: pick(search, users, (row) => [userName(row), row.username, row.email]).map(
        (row) => ({
          id: `user ${row.id}`,
          icon: UserRound,
          label: userName(row),
          ...(row.username && { detail: row.username }),
          run: findIn(paths.users, row.username ?? userName(row)),
        }),
      ),
    },
    {
      title: 'Nodes',
      entries: pick(search, nodes, (row) => [row.name, places.clusterOf(row.clusterId)]).map(
        (row) => ({
          id: `node ${row.id}`,
          icon: Network,
          label: places.node(row),
          run: () => navigate(resourcePath('node', row.id)),
        }),
      ),
    },
    { title: 'Power', entries: power },
  ]
}

/** A client's own servers and tokens. */
export function useFoundByClient(search: string): CommandGroup[] {
  const { data: instances } = useQuery(query(api.client.instances))
  const { data: tokens } = useQuery(query(api.client.tokens))
  const power = usePowerEntries('client', search, withTerms(instances, tokens))
  return [
    {
      title: 'Your servers',
      entries: pick(search, instances, (row) => [instanceName(row), row.ipAddress]).map((row) => ({
        id: `instance ${row.id}`,
        icon: Server,
        label: instanceName(row),
        ...(row.ipAddress && { detail: row.ipAddress }),
        run: () => navigate(serverPath(row.id)),
      })),
    },
    {
      title: 'Your tokens',
      entries: pick(search, tokens, (row) => [row.label, row.name, row.tokenId]).map((row) => ({
        id: `token ${row.id}`,
        icon: KeyRound,
        label: row.label,
        run: () =>
          navigate(
            row.assignedInstanceId === null
              ? paths.clientDashboard
              : serverPath(row.assignedInstanceId),
          ),
      })),
    },
    { title: 'Power', entries: power },
  ]
}

import type { UseQueryResult } from '@tanstack/react-query'
import { UsersRound } from 'lucide-react'
import { useDeferredValue, useMemo } from 'react'
import { Link } from 'wouter'
import type { ActiveClient } from '#shared/api/overview/dashboard.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { count } from '../../lib/format/words.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import { serverPath } from '../../lib/paths/paths.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Card } from '../../ui/layout/card.tsx'
import type { Places } from '../../widgets/cluster/places.ts'
import { usePlaces } from '../../widgets/cluster/use-places.ts'
import { ConsoleButton } from '../../widgets/console/console-button.tsx'
import { StatusBadge } from '../../widgets/instance/status-badge.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { matcher } from '../../widgets/list/matcher.ts'
import { VirtualList } from '../../widgets/list/virtual-list.tsx'
import { PowerButtons } from '../../widgets/power/power-buttons.tsx'

type ActiveToken = ActiveClient['activeTokens'][number]

const ACTS = ['start', 'shutdown', 'restart'] as const

type ByClientProps = { clients: UseQueryResult<ActiveClient[]>; text: string }

/** Clients with assigned tokens, and the instance linked to each. */
export function ByClient({ clients, text }: ByClientProps) {
  return (
    <ListState query={clients} failure="The clients could not be loaded">
      {(list) => <Clients clients={list} text={text} />}
    </ListState>
  )
}

function Clients({ clients, text }: { clients: readonly ActiveClient[]; text: string }) {
  const search = useDeferredValue(text)
  const places = usePlaces()
  const found = useMemo(() => {
    const matches = matcher(search)
    return clients.filter((client) =>
      matches(
        userName(client),
        client.username,
        ...client.activeTokens.flatMap((token) => textsOf(token, places)),
      ),
    )
  }, [clients, search, places])
  if (found.length === 0) {
    return (
      <Card>
        <EmptyState icon={UsersRound} title="No clients with active instances found" />
      </Card>
    )
  }
  return (
    <VirtualList
      label="Instances by client"
      items={found}
      keyOf={({ id }) => String(id)}
      estimate={({ activeTokens }) => 72 + activeTokens.length * 64}
    >
      {(client) => <Client client={client} />}
    </VirtualList>
  )
}

const textsOf = ({ name, tokenId, proxmoxVmId, instance }: ActiveToken, places: Places) => [
  name,
  tokenId,
  proxmoxVmId,
  instance?.label,
  instance?.name,
  instance?.ipAddress,
  instance && places.nodeOf(instance),
]

function Client({ client }: { client: ActiveClient }) {
  return (
    <section aria-label={userName(client)} className="mb-3 rounded-md border bg-card">
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 border-b px-4 py-3">
        <h2 className="min-w-0 break-words text-base">{userName(client)}</h2>
        <span className="text-ink-soft">{count(client.activeTokens.length, 'token')}</span>
      </header>
      <ul className="divide-y">
        {client.activeTokens.map((token) => (
          <li
            key={token.id}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-2.5"
          >
            <Token token={token} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Token({ token }: { token: ActiveToken }) {
  const places = usePlaces()
  const { instance } = token
  return (
    <>
      <div className="min-w-0 flex-1 basis-48">
        <p className="truncate font-semibold">
          {instance ? (
            <Link href={serverPath(instance.id)} className="hover:underline">
              {instanceName(instance)}
            </Link>
          ) : (
            token.name
          )}
        </p>
        <p className="truncate text-ink-soft text-xs">
          {instance && `${token.name} · `}
          {instance && places.isMany && `${places.nodeOf(instance)} · `}
          <span className="font-mono">{token.tokenId}</span>
        </p>
      </div>
      {instance ? (
        <>
          <StatusBadge status={instance.status} />
          <div className="flex gap-0.5">
            <PowerButtons instance={instance} acts={ACTS} audience="admin" />
            <ConsoleButton instance={instance} />
          </div>
        </>
      ) : (
        <span className="text-ink-soft">No instance linked</span>
      )}
    </>
  )
}

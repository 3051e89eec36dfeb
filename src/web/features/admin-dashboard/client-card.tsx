import { Link } from 'wouter'
import type { ActiveClient } from '#shared/api/overview/dashboard.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { priceText } from '../../lib/format/price.ts'
import { serverPath } from '../../lib/paths/paths.ts'
import { Badge } from '../../ui/indicator/badge.tsx'
import { type Column, Table } from '../../ui/layout/table.tsx'
import { usePlaces } from '../../widgets/cluster/use-places.ts'
import { ConsoleButton } from '../../widgets/console/console-button.tsx'
import { StatusBadge } from '../../widgets/instance/status-badge.tsx'
import { PowerButtons } from '../../widgets/power/power-buttons.tsx'
import { type ActiveToken, activeBadge, tokenTitle, vmIdOf } from './active-clients.ts'

const ACTS = ['start', 'stop', 'restart'] as const

const COLUMNS: readonly Column<ActiveToken>[] = [
  { title: 'Instance', isBare: true, cell: (token) => <InstanceCell token={token} /> },
  {
    title: 'Token',
    cell: ({ tokenId, name }) => (
      <>
        <span className="block break-all font-mono text-xs">{tokenId}</span>
        <span className="text-ink-soft">{name}</span>
      </>
    ),
  },
  { title: 'Status', cell: ({ instance }) => <StatusBadge status={instance?.status} /> },
  {
    title: 'IP Address',
    cell: ({ instance }) =>
      instance?.ipAddress ? (
        <span className="font-mono">{instance.ipAddress}</span>
      ) : (
        <span className="text-ink-soft">Not assigned</span>
      ),
  },
  {
    title: 'Price',
    isEnd: true,
    cell: ({ monthlyPrice }) => <span className="tabular">{priceText(monthlyPrice)}</span>,
  },
  {
    title: 'Actions',
    isEnd: true,
    isBare: true,
    cell: ({ instance }) =>
      instance && (
        <div className="flex gap-0.5 max-md:-ml-2 md:justify-end">
          <PowerButtons instance={instance} acts={ACTS} audience="admin" />
          <ConsoleButton instance={instance} />
        </div>
      ),
  },
]

function InstanceCell({ token }: { token: ActiveToken }) {
  const vmId = vmIdOf(token)
  const places = usePlaces()
  return (
    <>
      <span className="block break-words font-semibold">
        {token.instance ? (
          <Link href={serverPath(token.instance.id)} className="hover:underline">
            {tokenTitle(token)}
          </Link>
        ) : (
          tokenTitle(token)
        )}
      </span>
      {vmId !== null && <span className="font-mono text-ink-soft text-xs">VM ID: {vmId}</span>}
      {token.instance && places.isMany && (
        <span className="block text-ink-soft text-xs">{places.nodeOf(token.instance)}</span>
      )}
    </>
  )
}

export function ClientCard({ client }: { client: ActiveClient }) {
  const name = userName(client)
  return (
    <section aria-label={name} className="rounded-md border bg-card">
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b px-5 py-3">
        <div className="min-w-0">
          <h3 className="break-words text-base">{name}</h3>
          {client.email && client.email !== name && (
            <p className="break-all text-ink-soft">{client.email}</p>
          )}
        </div>
        <Badge>{activeBadge(client.activeTokens.length)}</Badge>
      </header>
      <Table
        label={`Instances of ${name}`}
        columns={COLUMNS}
        rows={client.activeTokens}
        rowKey={({ id }) => id}
      />
    </section>
  )
}

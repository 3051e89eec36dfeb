import { KeyRound } from 'lucide-react'
import { Link } from 'wouter'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { expiryOf } from '#shared/rules/token/token-expiry.ts'
import { isFree } from '#shared/rules/token/token-offer.ts'
import { priceText } from '../../lib/format/price.ts'
import { addressOf } from '../../lib/instance/connect.ts'
import { paths, serverPath } from '../../lib/paths/paths.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { type Column, Table } from '../../ui/layout/table.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { Countdown } from '../../widgets/time/countdown.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { useServerNow } from '../../widgets/time/use-server-now.ts'
import { DaysLeftBadge, TokenBadge } from '../../widgets/token/token-badge.tsx'
import { inOrder } from './token-look.ts'
import { useMyTokens } from './use-my-tokens.ts'

/** All tokens of the client at a glance. */
export function MyTokensPage() {
  const now = useServerNow(1000)
  const tokens = useMyTokens(now)
  return (
    <Card>
      {tokens.data && (
        <div className="flex flex-wrap items-center justify-between gap-x-4 border-b py-1 pr-2 pl-5">
          <h2 className="text-base">My VPS Tokens ({tokens.data.length})</h2>
          <QueryFreshness query={tokens} />
        </div>
      )}
      <ListState query={tokens} failure="Your tokens could not be loaded">
        {(list) => <TokenTable tokens={list} now={now} />}
      </ListState>
    </Card>
  )
}

function TokenTable({ tokens, now }: { tokens: readonly ClientToken[]; now: number }) {
  if (tokens.length === 0) {
    return (
      <EmptyState
        icon={KeyRound}
        title="No VPS Tokens Yet"
        action={
          <Link href={paths.createInstance} className={buttonClass({ variant: 'primary' })}>
            Choose a server
          </Link>
        }
      />
    )
  }
  return (
    <Table
      label="My VPS Tokens"
      columns={columns(now)}
      rows={inOrder(tokens)}
      rowKey={({ id }) => id}
    />
  )
}

const columns = (now: number): readonly Column<ClientToken>[] => [
  {
    title: 'Token',
    isBare: true,
    cell: (token) => (
      <>
        <Link
          href={
            token.assignedInstanceId === null
              ? paths.dashboard
              : serverPath(token.assignedInstanceId)
          }
          className="text-link break-words font-semibold"
        >
          {token.label}
        </Link>
        <span className="block break-all font-mono text-ink-soft text-xs">{token.tokenId}</span>
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <TokenBadge status={status} /> },
  {
    title: 'Address',
    cell: (token) => (
      <span className="font-mono max-md:break-all md:whitespace-nowrap">
        {addressOf(token) ?? '–'}
      </span>
    ),
  },
  { title: 'OS', cell: ({ osType }) => <span className="md:whitespace-nowrap">{osType}</span> },
  { title: 'Time left', cell: (token) => <Left token={token} now={now} /> },
  {
    title: 'Price',
    isEnd: true,
    cell: (token) => (
      <span className="tabular">
        {isFree(token) ? 'Free trial' : priceText(token.monthlyPrice)}
      </span>
    ),
  },
]

function Left({ token, now }: { token: ClientToken; now: number }) {
  const end = expiryOf(token)
  if (token.status !== 'assigned' || !end) return '–'
  return (
    <span className="flex flex-wrap items-center gap-2 max-md:justify-end">
      <DaysLeftBadge token={token} now={now} />
      <Countdown until={end.getTime()} now={now} />
    </span>
  )
}

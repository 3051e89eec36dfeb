import { TriangleAlert } from 'lucide-react'
import type { Token } from '#shared/api/shop/tokens.ts'
import { isFree } from '#shared/rules/token/token-offer.ts'
import { priceText } from '../../lib/format/price.ts'
import { daysText } from '../../lib/format/time-words.ts'
import type { Column } from '../../ui/layout/table.tsx'
import { useNodeInMany } from '../../widgets/cluster/use-places.ts'
import { StockBadge } from '../../widgets/token/token-badge.tsx'
import { TokenActions } from './token-actions.tsx'

export const TOKEN_COLUMNS: readonly Column<Token>[] = [
  { title: 'Token', isBare: true, cell: (token) => <Name token={token} /> },
  { title: 'Status', cell: (token) => <Status token={token} /> },
  {
    title: 'IP address',
    cell: ({ ipAddress }) =>
      ipAddress ? <span className="font-mono">{ipAddress}</span> : 'Of its instance',
  },
  {
    title: 'OS',
    cell: ({ osType }) => <span className="inline-block break-words lg:min-w-24">{osType}</span>,
  },
  {
    title: 'MAC address',
    cell: ({ macAddress }) =>
      macAddress ? <span className="font-mono">{macAddress}</span> : 'Auto-assigned',
  },
  {
    title: 'Price',
    isEnd: true,
    cell: (token) => (
      <span className="tabular whitespace-nowrap">
        {isFree(token) ? 'Free trial' : priceText(token.monthlyPrice)}
        <span className="block text-ink-soft text-xs">{daysText(token.durationDays)}</span>
      </span>
    ),
  },
  { title: 'Actions', isEnd: true, isBare: true, cell: (token) => <TokenActions token={token} /> },
]

function Name({ token }: { token: Token }) {
  const place = useNodeInMany()(token.nodeId)
  return (
    <>
      <span className="break-words font-semibold">{token.name}</span>
      <span className="block break-all font-mono text-ink-soft text-xs">{token.tokenId}</span>
      {place && <span className="block text-ink-soft text-xs">{place}</span>}
      {token.problem && (
        <span className="mt-1 flex items-start gap-1.5 text-warn text-xs">
          <TriangleAlert aria-hidden="true" className="mt-px size-3.5 shrink-0" />
          {token.problem}
        </span>
      )}
    </>
  )
}

const MORE: Partial<Record<Token['status'], string>> = {
  pending: 'Being prepared',
  assigned: 'In use',
  expired: 'Expired',
  ready: 'Instant Deploy',
}

function Status({ token }: { token: Token }) {
  const more = MORE[token.status]
  return (
    <>
      <StockBadge token={token} />
      {more && <span className="mt-0.5 block text-ink-soft text-xs">{more}</span>}
    </>
  )
}

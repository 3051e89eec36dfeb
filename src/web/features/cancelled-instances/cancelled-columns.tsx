import type { Token } from '#shared/api/shop/tokens.ts'
import { expiryOf } from '#shared/rules/token/token-expiry.ts'
import { calendarDay } from '../../lib/format/time.ts'
import type { Column } from '../../ui/layout/table.tsx'
import { CancelledActions } from './cancelled-actions.tsx'

const day = (at: Date | undefined): string => (at ? calendarDay(at) : '–')

export const CANCELLED_COLUMNS: readonly Column<Token>[] = [
  {
    title: 'Token',
    isBare: true,
    cell: (token) => (
      <>
        <span className="break-words font-semibold">{token.name}</span>
        <span className="block break-all font-mono text-ink-soft text-xs">{token.tokenId}</span>
      </>
    ),
  },
  {
    title: 'VM ID',
    cell: ({ proxmoxVmId }) => <span className="font-mono">{proxmoxVmId ?? 'None'}</span>,
  },
  {
    title: 'IP address',
    cell: ({ ipAddress }) => <span className="font-mono">{ipAddress ?? '–'}</span>,
  },
  { title: 'OS', cell: ({ osType }) => osType },
  {
    title: 'Sold',
    cell: ({ assignedAt }) =>
      assignedAt ? (
        <span className="whitespace-nowrap">{calendarDay(new Date(assignedAt))}</span>
      ) : (
        'Never'
      ),
  },
  {
    title: 'Paid until',
    cell: (token) => <span className="whitespace-nowrap">{day(expiryOf(token))}</span>,
  },
  {
    title: 'Actions',
    isEnd: true,
    isBare: true,
    cell: (token) => <CancelledActions token={token} />,
  },
]

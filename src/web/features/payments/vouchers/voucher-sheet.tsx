import { createPortal } from 'react-dom'
import type { NewVouchers } from '#shared/api/money/vouchers.ts'
import { brandName } from '../../../lib/browser/page-facts.ts'
import { priceText } from '../../../lib/format/price.ts'
import { calendarDay } from '../../../lib/format/time.ts'

/** The vouchers as paper to cut: on the screen nothing, on the printer nothing else. */
export function VoucherSheet({ made }: { made: NewVouchers }) {
  const { amount, expiresAt, vouchers } = made
  return createPortal(
    <ul data-sheet className="hidden grid-cols-2 gap-4 print:grid">
      {vouchers.map(({ id, code }) => (
        <li key={id} className="break-inside-avoid border border-dashed p-4">
          <p className="flex justify-between gap-4">
            <span className="font-semibold">{brandName}</span>
            <span className="tabular font-semibold">{priceText(amount)}</span>
          </p>
          <p className="my-3 font-mono text-base">{code}</p>
          <p className="text-ink-soft text-xs">
            Redeem it under Billing at {location.host}.
            {expiresAt && ` Valid until ${calendarDay(new Date(expiresAt))}.`}
          </p>
        </li>
      ))}
    </ul>,
    document.body,
  )
}

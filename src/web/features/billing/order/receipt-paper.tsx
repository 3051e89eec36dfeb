import type { ReactNode } from 'react'
import type { Seller } from '#shared/api/shop/receipts.ts'
import { brandName } from '../../../lib/browser/page-facts.ts'

export type Line = { what: string; note?: string; amount: string; isStrong?: boolean }

type ReceiptPaperProps = {
  id: string
  title: string
  seller?: Seller
  action?: ReactNode
  /** What identifies it, as pairs of a term and its value. */
  heads: readonly (readonly [term: string, value: ReactNode])[]
  lines: readonly Line[]
  note?: string
}

/** One page of paper: who sold what, when, for how much. Never names a person but the seller. */
export function ReceiptPaper(props: ReceiptPaperProps) {
  const { id, title, seller, action, heads, lines, note } = props
  return (
    <section
      aria-labelledby={id}
      className="rounded-md border bg-card print:border-0 print:bg-transparent"
    >
      <header className="flex flex-wrap items-start justify-between gap-4 border-b px-5 py-5 sm:px-8 print:px-0">
        <div className="min-w-0">
          <h2 id={id} className="text-lg">
            {title}
          </h2>
          {seller?.name && <p className="break-words font-semibold">{seller.name}</p>}
          {seller?.address && (
            <p className="whitespace-pre-line break-words text-ink-soft">{seller.address}</p>
          )}
          {seller?.taxId && <p className="break-words text-ink-soft">Tax id {seller.taxId}</p>}
          <p className="text-ink-soft">
            {brandName}, <span className="font-mono">{location.host}</span>
          </p>
        </div>
        {action}
      </header>
      <div className="space-y-6 px-5 py-5 sm:px-8 print:px-0">
        <dl className="flex flex-wrap gap-x-12 gap-y-4">
          {heads.map(([term, value]) => (
            <div key={term}>
              <dt className="text-ink-soft text-xs">{term}</dt>
              <dd className="font-semibold">{value}</dd>
            </div>
          ))}
        </dl>
        <Lines lines={lines} />
        <p className="text-ink-soft text-xs">
          Prices are in US dollars. No customer name: we don’t collect one.{note && ` ${note}`}
        </p>
      </div>
    </section>
  )
}

function Lines({ lines }: { lines: readonly Line[] }) {
  return (
    <table className="w-full border-y">
      <caption className="sr-only">What was ordered and how it was paid</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">What</th>
          <th scope="col">Amount</th>
        </tr>
      </thead>
      <tbody className="divide-y">
        {lines.map(({ what, note, amount, isStrong = false }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two payments may look alike, and none moves
          <tr key={index} className={isStrong ? 'font-semibold' : undefined}>
            <td className="py-3 pr-4 align-top">
              <span className="break-words">{what}</span>
              {note && <span className="block font-normal text-ink-soft text-xs">{note}</span>}
            </td>
            <td className="tabular py-3 text-right align-top">{amount}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

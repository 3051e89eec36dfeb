import { Printer } from 'lucide-react'
import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import { isNothing } from '../../../lib/billing/credit.ts'
import { KIND_WORDS, orderTitle } from '../../../lib/billing/order-words.ts'
import { paymentRemark, providerWords } from '../../../lib/billing/payment-words.ts'
import { brandName } from '../../../lib/browser/page-facts.ts'
import { priceText } from '../../../lib/format/price.ts'
import { calendarDay } from '../../../lib/format/time.ts'
import { Button } from '../../../ui/form/button.tsx'

/** What was bought and how it was paid. Names the installation and the order, never a person. */
export function Receipt({ details }: { details: ClientOrderDetails }) {
  const { order } = details
  return (
    <section
      aria-labelledby="receipt-title"
      className="rounded-md border bg-card print:border-0 print:bg-transparent"
    >
      <header className="flex flex-wrap items-start justify-between gap-4 border-b px-5 py-5 sm:px-8 print:px-0">
        <div>
          <h2 id="receipt-title" className="text-lg">
            Receipt
          </h2>
          <p className="text-ink-soft">
            {brandName}, <span className="font-mono">{location.host}</span>
          </p>
        </div>
        <Button className="print:hidden" onClick={() => window.print()}>
          <Printer aria-hidden="true" className="size-4" />
          Print
        </Button>
      </header>
      <div className="space-y-6 px-5 py-5 sm:px-8 print:px-0">
        <dl className="flex flex-wrap gap-x-12 gap-y-4">
          <Head term="Order number">
            <span className="font-mono">{order.id}</span>
          </Head>
          <Head term="Ordered">{calendarDay(new Date(order.createdAt))}</Head>
          {paidAt(details) && <Head term="Paid">{paidAt(details)}</Head>}
        </dl>
        <Lines details={details} />
        <p className="text-ink-soft text-xs">
          Prices are in US dollars. No customer name: we don’t collect one.
        </p>
      </div>
    </section>
  )
}

function Head({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-ink-soft text-xs">{term}</dt>
      <dd className="font-semibold">{children}</dd>
    </div>
  )
}

const paidAt = ({ payments }: ClientOrderDetails): string | undefined => {
  const at = payments.find(({ status }) => status === 'paid' || status === 'refunded')?.updatedAt
  return at && calendarDay(new Date(at))
}

function Lines({ details: { order, payments } }: { details: ClientOrderDetails }) {
  const paid = payments.filter(({ received }) => !isNothing(received))
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
        <Row
          what={orderTitle(order)}
          note={[KIND_WORDS[order.kind], order.osType].filter(Boolean).join(', ')}
          amount={priceText(order.amount)}
          isStrong
        />
        {!isNothing(order.credit) && (
          <Row what="Paid from credit" amount={priceText(order.credit)} />
        )}
        {paid.map((payment) => (
          <Row
            key={payment.id}
            what={providerWords(payment.provider)}
            note={[calendarDay(new Date(payment.updatedAt)), paymentRemark(payment)]
              .filter(Boolean)
              .join('. ')}
            amount={priceText(payment.received)}
          />
        ))}
      </tbody>
    </table>
  )
}

type RowProps = { what: string; note?: string; amount: string; isStrong?: boolean }

function Row({ what, note, amount, isStrong = false }: RowProps) {
  return (
    <tr className={isStrong ? 'font-semibold' : undefined}>
      <td className="py-3 pr-4 align-top">
        <span className="break-words">{what}</span>
        {note && <span className="block font-normal text-ink-soft text-xs">{note}</span>}
      </td>
      <td className="tabular py-3 text-right align-top">{amount}</td>
    </tr>
  )
}

import { Printer } from 'lucide-react'
import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import type { Receipt } from '#shared/api/shop/receipts.ts'
import { Button } from '../../../ui/form/button.tsx'
import { dayOf, issuedLines, paidLines, periodWords } from './receipt-lines.ts'
import { ReceiptPaper } from './receipt-paper.tsx'

const print = (
  <Button className="print:hidden" onClick={() => window.print()}>
    <Printer aria-hidden="true" className="size-4" />
    Print
  </Button>
)

/** What was bought and how it was paid: as issued, else as far as it is known. */
export function Receipts({ details }: { details: ClientOrderDetails }) {
  const { order, receipts } = details
  if (receipts.length === 0) return <Paid details={details} />
  return receipts.map((receipt, index) => (
    <Issued key={receipt.number} receipt={receipt} orderId={order.id} isFirst={index === 0} />
  ))
}

const mono = (text: string | number) => <span className="font-mono">{text}</span>

/** Paid, but not delivered: the receipt comes with the delivery. */
function Paid({ details }: { details: ClientOrderDetails }) {
  const { order, payments } = details
  const paid = payments.find(({ status }) => status === 'paid' || status === 'refunded')
  const isFinal = order.status === 'active' || order.status === 'cancelled'
  return (
    <ReceiptPaper
      id="receipt-title"
      title="Receipt"
      action={print}
      heads={[
        ['Order number', mono(order.id)],
        ['Ordered', dayOf(order.createdAt)],
        ...(paid ? [['Paid', dayOf(paid.updatedAt)] as const] : []),
      ]}
      lines={paidLines(details)}
      {...(!isFinal && { note: 'Its number comes with the delivery.' })}
    />
  )
}

type IssuedProps = { receipt: Receipt; orderId: number; isFirst: boolean }

function Issued({ receipt, orderId, isFirst }: IssuedProps) {
  const { kind, number, seller, corrects } = receipt
  const period = periodWords(receipt)
  return (
    <ReceiptPaper
      id={`receipt-${number}`}
      title={`${kind === 'receipt' ? 'Receipt' : 'Credit note'} ${number}`}
      seller={seller}
      action={isFirst && print}
      heads={[
        ['Order number', mono(orderId)],
        ['Ordered', dayOf(receipt.orderedAt)],
        [kind === 'receipt' ? 'Delivered' : 'Taken back', dayOf(receipt.at)],
        ...(period ? [['Time bought', period] as const] : []),
        ...(corrects ? [['For receipt', mono(corrects)] as const] : []),
      ]}
      lines={issuedLines(receipt)}
    />
  )
}

import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Order, OrderDetails } from '#shared/api/orders.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { isNothing } from '../../lib/credit.ts'
import { keptThenDeleted } from '../../lib/grace-words.ts'
import { priceText } from '../../lib/price.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ListState } from '../../widgets/list-state.tsx'
import { REFRESHED } from './refreshed.ts'
import { type Refund, refundChoices } from './refunds.ts'

type CancelOrderDialogProps = { order: Order; onClose: () => void }

/** Ends an order, and says where its money goes. */
export function CancelOrderDialog({ order, onClose }: CancelOrderDialogProps) {
  const details = useQuery({
    ...query(api.orders.details, { params: { id: order.id } }),
    staleTime: 0,
  })
  const [refund, setRefund] = useState<Refund>('credit')
  const update = useAction(api.orders.update, {
    done: { title: 'Order cancelled', description: `Order ${order.id}, ${order.planName}` },
    failed: 'The order was not cancelled',
    refresh: REFRESHED,
  })
  async function cancel({ refundable }: OrderDetails) {
    const { ok } = await update.run({
      params: { id: order.id },
      body: { status: 'cancelled', ...(!isNothing(refundable.amount) && { refund }) },
    })
    if (ok) onClose()
  }
  const { data } = details
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Cancel order ${order.id}?`}
      description={consequenceOf(order)}
      footer={
        <>
          <Button onClick={onClose}>Keep the order</Button>
          <Button
            variant="danger"
            disabled={!data}
            isPending={update.isPending}
            onClick={() => data && void cancel(data)}
          >
            Cancel order
          </Button>
        </>
      }
    >
      <ListState query={details} failure="The order could not be loaded">
        {(found) => <RefundChoice details={found} refund={refund} onChange={setRefund} />}
      </ListState>
    </Dialog>
  )
}

const CONSEQUENCES: Record<Order['status'], string> = {
  pending: 'It is not paid. What was reserved is free again.',
  paid: 'It is paid and not delivered.',
  provisioning: 'Its server is being made and is undone.',
  active: `The server stops now and ${keptThenDeleted}.`,
  cancelled: '',
}

const consequenceOf = ({ kind, status }: Order): string =>
  kind === 'renewal' && status === 'active'
    ? 'The time it added is taken back. The server itself stays.'
    : CONSEQUENCES[status]

type RefundChoiceProps = {
  details: OrderDetails
  refund: Refund
  onChange: (refund: Refund) => void
}

function RefundChoice({ details, refund, onChange }: RefundChoiceProps) {
  const group = useId()
  const { refundable } = details
  if (isNothing(refundable.amount)) return <p>No money is to be given back.</p>
  return (
    <fieldset>
      <legend className="font-semibold">Give back {priceText(refundable.amount)}</legend>
      <div className="mt-3 space-y-3">
        {refundChoices(details).map(({ value, label, text, refusal }) => (
          <label key={value} className="flex items-start gap-3">
            <input
              type="radio"
              name={group}
              className="mt-0.5 size-5 shrink-0 accent-accent"
              checked={refund === value}
              disabled={refusal !== undefined}
              onChange={() => onChange(value)}
            />
            <span className={refusal === undefined ? undefined : 'text-ink-soft'}>
              <span className="block font-semibold">{label}</span>
              <span className="text-ink-soft">{refusal ?? text}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

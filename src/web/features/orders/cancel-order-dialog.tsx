import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Order, OrderDetails } from '#shared/api/shop/orders.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { isNothing } from '../../lib/billing/credit.ts'
import { keptThenDeleted } from '../../lib/format/grace-words.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { type Refund, RefundFields } from '../../widgets/billing/refund-fields.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { REFRESHED } from './refreshed.ts'

type CancelOrderDialogProps = { order: Order; onClose: () => void }

/** Ends an order, and says where its money goes. */
export function CancelOrderDialog({ order, onClose }: CancelOrderDialogProps) {
  const details = useQuery({
    ...query(api.orders.details, { params: { id: order.id } }),
    staleTime: 0,
  })
  const [refund, setRefund] = useState<Refund>(isCredit(order) ? 'provider' : 'credit')
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
        {({ refundable }) => (
          <RefundFields
            refundable={refundable}
            isDelivered={order.status === 'active'}
            isCredit={isCredit(order)}
            refund={refund}
            onChange={setRefund}
          />
        )}
      </ListState>
    </Dialog>
  )
}

/** Its money is the client's credit already: it can only be sent back. */
const isCredit = ({ kind, status }: Order): boolean => kind === 'top-up' && status === 'active'

const CONSEQUENCES: Record<Order['status'], string> = {
  pending: 'It is not paid. What was reserved is free again.',
  paid: 'It is paid and not delivered.',
  provisioning: 'Its server is being made and is undone.',
  active: `The server stops now and ${keptThenDeleted}.`,
  cancelled: '',
}

function consequenceOf({ kind, status, server }: Order): string {
  if (server === 'ended') return 'Its server has already ended. This only settles the money.'
  if (kind === 'top-up' && status === 'active') {
    return 'What the client has not spent of it is sent back.'
  }
  if (kind === 'renewal' && status === 'active') {
    return 'The added time is removed. The server itself stays.'
  }
  return CONSEQUENCES[status]
}

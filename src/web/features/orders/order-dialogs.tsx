import type { Order } from '#shared/api/shop/orders.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { priceText } from '../../lib/format/price.ts'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { EndServerDialog } from '../../widgets/instance/end-server-dialog.tsx'
import { CancelOrderDialog } from './cancel-order-dialog.tsx'
import { ProvisionDialog } from './provision-dialog.tsx'
import { REFRESHED } from './refreshed.ts'

export type OpenOrderDialog = 'paid' | 'provision' | 'retry' | 'cancel' | 'end'

type OrderDialogProps = { order: Order; onClose: () => void }

/** The dialogs behind a row's buttons; loaded with the first press. */
export function OrderDialog({ open, ...props }: OrderDialogProps & { open: OpenOrderDialog }) {
  switch (open) {
    case 'paid':
      return <MarkPaidDialog {...props} />
    case 'provision':
      return <ProvisionDialog {...props} />
    case 'retry':
      return <RetryDialog {...props} />
    case 'cancel':
      return <CancelOrderDialog {...props} />
    case 'end':
      return <EndOfOrder {...props} />
  }
}

function EndOfOrder({ order, onClose }: OrderDialogProps) {
  if (order.instanceId === null) return null
  const instance = { id: order.instanceId, name: order.planName }
  return <EndServerDialog instance={instance} audience="operator" onClose={onClose} />
}

function MarkPaidDialog({ order, onClose }: OrderDialogProps) {
  const update = useAction(api.orders.update, {
    done: { title: 'Order marked as paid', description: `Order ${order.id}, ${order.planName}` },
    failed: 'The order was not marked as paid',
    refresh: REFRESHED,
  })
  const confirm = async () => {
    const { ok } = await update.run({ params: { id: order.id }, body: { status: 'paid' } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Mark order ${order.id} as paid?`}
      action="Mark as paid"
      onConfirm={() => void confirm()}
      isPending={update.isPending}
    >
      Confirm that you received {priceText(order.amount)} from{' '}
      {order.clientName ?? 'a client whose account is deleted'} for {order.planName}. It is booked
      as a payment, and the server is created at once if there is room.
    </Confirm>
  )
}

function RetryDialog({ order, onClose }: OrderDialogProps) {
  const update = useAction(api.orders.update, {
    done: { title: 'Provisioning started', description: `Order ${order.id}, ${order.planName}` },
    failed: 'Provisioning could not be started',
    refresh: REFRESHED,
  })
  const confirm = async () => {
    const { ok } = await update.run({ params: { id: order.id }, body: { status: 'provisioning' } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Try order ${order.id} again?`}
      action="Try again"
      onConfirm={() => void confirm()}
      isPending={update.isPending}
    >
      The server is created from stock or from a template, if one fits now.
      {order.failure && <> Last attempt: {order.failure}</>}
    </Confirm>
  )
}

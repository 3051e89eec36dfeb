import type { ClientOrder } from '#shared/api/shop/orders.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { orderTitle } from '../../../lib/billing/order-words.ts'
import { Confirm } from '../../../ui/overlay/confirm.tsx'

type CancelOrderDialogProps = {
  order: Pick<ClientOrder, 'id' | 'kind' | 'planName'>
  onClose: () => void
}

export function CancelOrderDialog({ order, onClose }: CancelOrderDialogProps) {
  const cancel = useAction(api.billing.cancel, {
    done: { title: 'Order cancelled', description: orderTitle(order) },
    failed: 'The order was not cancelled',
    refresh: [
      api.billing.overview,
      api.billing.details,
      api.client.tokens,
      api.marketplace.tokens,
      api.packages.public,
    ],
  })
  const confirm = async () => {
    const { ok } = await cancel.run({ params: { id: order.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Cancel order ${order.id}?`}
      action="Cancel the order"
      isDangerous
      onConfirm={() => void confirm()}
      isPending={cancel.isPending}
    >
      What was reserved for you is free again. Money that still arrives for it becomes your credit.
    </Confirm>
  )
}

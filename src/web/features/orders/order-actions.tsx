import { Ban, Ellipsis, PowerOff, RotateCw, Server } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Order } from '#shared/api/shop/orders.ts'
import { canMoveOrder } from '#shared/rules/money/order-status.ts'
import { useMay } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'
import { DropdownMenu, MenuItem } from '../../ui/menu/dropdown-menu.tsx'
import type { OpenOrderDialog } from './order-dialogs.tsx'

const OrderDialog = lazyPage(() => import('./order-dialogs.tsx'), 'OrderDialog')

/**
 * The actions an admin may take on an order in its state (O2); the next step is a separate button.
 */
export function OrderActions({ order }: { order: Order }) {
  const [open, setOpen] = useState<OpenOrderDialog>()
  const name = `order ${order.id}`
  const isPaid = order.status === 'paid'
  // Cancelling a renewal does not end the server that it extended.
  const endsServer = order.instanceId !== null && order.kind !== 'renewal'
  const mayChange = useMay('money')
  // A change of a package ends by itself.
  if (order.status === 'cancelled' || order.kind === 'change' || !mayChange) return null
  return (
    <div className="flex min-h-8 justify-end gap-1">
      {canMoveOrder(order.status, 'paid', 'admin') && (
        <Button size="sm" aria-label={`Mark paid: ${name}`} onClick={() => setOpen('paid')}>
          Mark paid
        </Button>
      )}
      {isPaid && order.kind !== 'renewal' && (
        <Button
          size="sm"
          variant="primary"
          aria-label={`Provision ${name}`}
          onClick={() => setOpen('provision')}
        >
          <Server aria-hidden="true" className="size-3.5" />
          Provision
        </Button>
      )}
      {canMoveOrder(order.status, 'cancelled', 'admin') && (
        <DropdownMenu
          trigger={
            <Button variant="ghost" size="icon" className="-my-0.5" aria-label={`More for ${name}`}>
              <Ellipsis aria-hidden="true" className="size-4" />
            </Button>
          }
        >
          {isPaid && (
            <MenuItem icon={<RotateCw />} onSelect={() => setOpen('retry')}>
              Retry automatic provisioning
            </MenuItem>
          )}
          {endsServer ? (
            <MenuItem icon={<PowerOff />} isDangerous onSelect={() => setOpen('end')}>
              End server
            </MenuItem>
          ) : (
            <MenuItem icon={<Ban />} isDangerous onSelect={() => setOpen('cancel')}>
              Cancel order
            </MenuItem>
          )}
        </DropdownMenu>
      )}
      {open && (
        <Suspense>
          <OrderDialog open={open} order={order} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </div>
  )
}

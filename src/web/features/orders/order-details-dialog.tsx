import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { OrderDetails } from '#shared/api/shop/orders.ts'
import { ApiError } from '../../api/api-error.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { isNothing } from '../../lib/billing/credit.ts'
import { couponWords, KIND_WORDS } from '../../lib/billing/order-words.ts'
import { priceText } from '../../lib/format/price.ts'
import { exactTime } from '../../lib/format/time.ts'
import { serverPath } from '../../lib/paths/paths.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { OrderBadge } from '../../widgets/billing/order-badge.tsx'
import { useNodeInMany } from '../../widgets/cluster/use-places.ts'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { Moments } from '../../widgets/time/moments.tsx'
import { WishFacts } from './order-wishes.tsx'
import { PaymentList } from './payment-list.tsx'

type OrderDetailsDialogProps = { id: number; onClose: () => void }

/** One order with its payments and everything that happened to it. */
export function OrderDetailsDialog({ id, onClose }: OrderDetailsDialogProps) {
  const details = useQuery({ ...query(api.orders.details, { params: { id } }), staleTime: 0 })
  const isAbsent = details.error instanceof ApiError && details.error.status === 404
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Order ${id}`}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {isAbsent ? (
        <p>There is no order with this number.</p>
      ) : (
        <ListState query={details} failure="The order could not be loaded">
          {(data) => <Details details={data} />}
        </ListState>
      )}
    </Dialog>
  )
}

function Details({ details }: { details: OrderDetails }) {
  return (
    <div className="space-y-6">
      {details.order.failure && <Note tone="bad">{details.order.failure}</Note>}
      <OrderFacts order={details.order} />
      {details.wishes && <WishFacts wishes={details.wishes} />}
      <section>
        <h3 className="mb-2">Payments ({details.payments.length})</h3>
        <PaymentList payments={details.payments} />
      </section>
      <section>
        <h3 className="mb-3">Timeline</h3>
        <Moments events={details.timeline} />
      </section>
    </div>
  )
}

function OrderFacts({ order }: Pick<OrderDetails, 'order'>) {
  const place = useNodeInMany()(order.assignedNodeId)
  return (
    <Facts className="border-y">
      <Fact term="Plan">{order.planName}</Fact>
      <Fact term="Kind">{KIND_WORDS[order.kind]}</Fact>
      <Fact term="Client">{order.clientName ?? 'Account deleted'}</Fact>
      {order.osType && <Fact term="OS">{order.osType}</Fact>}
      <Fact term="Status">
        <OrderBadge order={order} />
        {order.isDisputed && <span className="ml-2 text-bad">Payment disputed</span>}
      </Fact>
      <Fact term="Amount">
        <span className="tabular">{priceText(order.amount)}</span>
      </Fact>
      {order.coupon && <Fact term="Coupon">{couponWords(order)}</Fact>}
      {!isNothing(order.credit) && (
        <Fact term="From credit">
          <span className="tabular">{priceText(order.credit)}</span>
        </Fact>
      )}
      <Fact term="Ordered">{exactTime(new Date(order.createdAt))}</Fact>
      {order.status === 'pending' && order.payBy && (
        <Fact term="Waits for payment until">{exactTime(new Date(order.payBy))}</Fact>
      )}
      {order.trialEndsAt && <Fact term="Trial ends">{exactTime(new Date(order.trialEndsAt))}</Fact>}
      {order.nextBillingAt && (
        <Fact term="Paid until">{exactTime(new Date(order.nextBillingAt))}</Fact>
      )}
      {order.assignedVmId !== null && (
        <Fact term="VM ID">
          {order.instanceId === null ? (
            <span className="font-mono">{order.assignedVmId}</span>
          ) : (
            <Link href={serverPath(order.instanceId)} className="font-mono text-link">
              {order.assignedVmId}
            </Link>
          )}
          {place && ` on ${place}`}
        </Fact>
      )}
    </Facts>
  )
}

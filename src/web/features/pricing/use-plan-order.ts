import { useLocation } from 'wouter'
import type { WithCoupon } from '#shared/api/money/coupons.ts'
import type { Paying } from '#shared/api/money/payment-methods.ts'
import type { Wishes } from '#shared/api/parts/wishes.ts'
import type { PublicPackage } from '#shared/api/shop/packages.ts'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { followCheckout } from '../../lib/billing/checkout.ts'
import { orderPath } from '../../lib/paths/paths.ts'

/** Orders a plan, then opens the payment page, or the order itself. */
export function usePlanOrder(plan: PublicPackage, { onSoldOut }: { onSoldOut: () => void }) {
  const [, navigate] = useLocation()
  const order = useAction(api.billing.order, {
    failed: 'Order Failed',
    refresh: [api.billing.overview, api.client.tokens, api.jobs.list, api.packages.public],
  })

  async function run(osType: string, wishes: Wishes & Paying & WithCoupon) {
    const outcome = await order.run({ body: { packageId: plan.id, osType, ...wishes } })
    if (outcome.ok) {
      const { checkoutUrl, order: made } = outcome.result
      if (checkoutUrl) followCheckout(checkoutUrl)
      else navigate(orderPath(made.id))
      return
    }
    if (outcome.error instanceof ApiError && outcome.error.body?.code === 'SOLD_OUT') onSoldOut()
  }

  return { run, isPending: order.isPending, error: order.error }
}

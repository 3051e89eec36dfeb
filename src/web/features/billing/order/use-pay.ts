import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { followCheckout, payingBy } from '../../../lib/billing/checkout.ts'
import { orderPath } from '../../../lib/paths/paths.ts'

/** Continues paying an order: on the provider's page, or on ours. */
export function usePay(orderId: number) {
  const pay = useAction(api.billing.pay, {
    failed: 'Payment could not be started',
    refresh: [api.billing.overview, api.billing.details],
  })
  async function run(way?: string) {
    const body = payingBy(way)
    const outcome = await pay.run({ params: { id: orderId }, body })
    if (outcome.ok) followCheckout(outcome.result.checkoutUrl ?? orderPath(orderId))
  }
  return { run, isPending: pay.isPending }
}

import type { Config } from '../../config/config.ts'
import type { Clock } from '../../lib/clock.ts'
import type { PaymentProvider } from '../port/payment-provider.ts'
import { btcpayProvider } from './btcpay.ts'
import { manual } from './manual.ts'
import { sandbox } from './sandbox.ts'
import { stripeProvider } from './stripe.ts'

type Chosen = Pick<Config, 'paymentProvider' | 'stripe' | 'btcpay'>

/** The payment provider configured for this installation. */
export function paymentProvider(
  { paymentProvider: name, stripe, btcpay }: Chosen,
  clock: Clock,
): PaymentProvider {
  if (stripe) return stripeProvider(stripe, clock)
  if (btcpay) return btcpayProvider(btcpay, clock)
  return name === 'manual' ? manual : sandbox
}

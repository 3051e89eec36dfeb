import { AppError } from '#shared/errors.ts'
import type { KeyedProvider } from '../../config/provider-config.ts'
import type { PaymentProvider } from '../port/payment-provider.ts'
import { ProviderError } from '../port/provider-errors.ts'

/**
 * A provider whose keys are there and cannot be used. It is known, so that what is open at it waits
 * for the operator instead of being taken for nothing of ours.
 */
export function closedProvider(name: KeyedProvider, reason: string): PaymentProvider {
  const refuse = async (): Promise<never> => {
    throw new ProviderError('refused', `${name}: ${reason}`)
  }
  return {
    name,
    ways: [],
    isInstant: false,
    createCheckout: refuse,
    verifyWebhook: refuse,
    fetchState: refuse,
    paymentOf: refuse,
    methods: refuse,
    refund: name === 'monero' ? undefined : refuse,
    async check() {
      throw new AppError('PAYMENT_UNAVAILABLE', reason)
    },
  }
}

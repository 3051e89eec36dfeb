import type { PaymentProvider } from './payment-provider.ts'

/** Pays everything at once. No money moves, and the pages say so. */
export const sandbox: PaymentProvider = {
  name: 'sandbox',
  isInstant: true,
  createCheckout: async ({ orderId }) => ({ paymentId: `sandbox-${orderId}`, state: 'paid' }),
  verifyWebhook: async () => undefined,
  fetchState: async () => 'paid',
  refund: async () => undefined,
}

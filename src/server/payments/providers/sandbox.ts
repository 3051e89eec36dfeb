import type { PaymentProvider } from '../port/payment-provider.ts'

/** Settles every payment at once. No money moves, and the pages say so. */
export const sandbox: PaymentProvider = {
  name: 'sandbox',
  ways: [{ id: 'sandbox', name: 'Test payment', kind: 'sandbox' }],
  isInstant: true,
  createCheckout: async ({ orderId, attempt }) => ({ paymentId: `sandbox-${orderId}-${attempt}` }),
  verifyWebhook: async () => undefined,
  fetchState: undefined,
  methods: async () => [],
  refund: async () => undefined,
  check: async () => 'Test mode: no money moves.',
}

import type { PaymentProvider } from '../port/payment-provider.ts'

/** The client pays the operator directly; an admin marks the order as paid. */
export const manual: PaymentProvider = {
  name: 'manual',
  ways: [{ id: 'manual', name: 'Direct payment', kind: 'manual' }],
  isInstant: false,
  isByHand: true,
  createCheckout: async ({ orderId, attempt, expiresAt }) => ({
    paymentId: `manual-${orderId}-${attempt}`,
    expiresAt,
  }),
  verifyWebhook: async () => undefined,
  fetchState: undefined,
  methods: async () => [],
  refund: undefined,
  check: async () => 'Orders wait until an admin marks them as paid.',
}

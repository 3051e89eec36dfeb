import { z } from 'zod'

/** Amounts are decimal strings, so that no digit is lost. */
const Decimal = z.string().regex(/^\d{1,20}(\.\d{1,20})?$/)

const InvoiceStatus = z.enum(['New', 'Processing', 'Settled', 'Expired', 'Invalid'])

export const Invoice = z.object({
  id: z.string().max(100),
  amount: Decimal,
  currency: z.string(),
  checkoutLink: z.string(),
  /** Unix seconds. */
  expirationTime: z.number(),
  status: InvoiceStatus,
  /**
   * None, PaidLate, PaidPartial, PaidOver, Marked or Invalid. A plain string, so that a new value
   * does not break parsing.
   */
  additionalStatus: z.string(),
  metadata: z.object({ orderId: z.string().nullish() }).nullish(),
})
export type Invoice = z.output<typeof Invoice>

const CoinStatus = z.enum(['Invalid', 'Processing', 'Settled'])
export type CoinStatus = z.output<typeof CoinStatus>

const Coins = z.object({ value: Decimal, fee: Decimal.nullish(), status: CoinStatus })

export const InvoiceMethod = z.object({
  paymentMethodId: z.string(),
  currency: z.string(),
  destination: z.string().nullish(),
  paymentLink: z.string().nullish(),
  rate: Decimal.nullish(),
  /** Negative if the client paid too much. */
  due: z.string().regex(/^-?\d{1,20}(\.\d{1,20})?$/),
  payments: z.array(Coins),
  activated: z.boolean().nullish(),
})
export type InvoiceMethod = z.output<typeof InvoiceMethod>

export const Store = z.object({ id: z.string(), name: z.string() })

export const PullPayment = z.object({ id: z.string(), viewLink: z.url() })

export const Delivery = z.object({
  deliveryId: z.string().min(1).max(100),
  originalDeliveryId: z.string().min(1).max(100),
  type: z.string().min(1).max(100),
  storeId: z.string(),
  invoiceId: z.string().max(100).nullish(),
})

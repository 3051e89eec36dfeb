import { z } from 'zod'
import { Id, optionalText, orNull, Timestamp } from '../parts/fields.ts'
import { OrderKind } from './orders.ts'

/** What receipts say of the operator; each part only if the operator gives it. */
export const Seller = z.object({
  name: z.string().nullable(),
  /** Several lines. */
  address: z.string().nullable(),
  taxId: z.string().nullable(),
})
export type Seller = z.output<typeof Seller>

export const SellerUpdate = z.object({
  name: orNull(optionalText(100)),
  address: orNull(optionalText(500)),
  taxId: orNull(optionalText(60)),
})

/** A `credit note` takes money of an earlier receipt back. */
export const ReceiptKind = z.enum(['receipt', 'credit note'])
export type ReceiptKind = z.output<typeof ReceiptKind>

/** What does not change once it is issued. Says nothing of the client. */
export const ReceiptContent = z.object({
  seller: Seller,
  orderKind: OrderKind,
  /** What was ordered, by its name in the shop. */
  what: z.string(),
  osType: z.string().nullable(),
  orderedAt: Timestamp,
  /** When the money was earned, or taken back. */
  at: Timestamp,
  /** Always positive: the kind says which way it went. */
  amount: z.string(),
  currency: z.string(),
  /** What a coupon took off; the amount is without it. Absent where none was used. */
  coupon: z.object({ code: z.string(), discount: z.string() }).optional(),
  /** How many periods were bought. */
  months: z.number().int(),
  /** The time that was bought; null where none was. The start is null where it is not known. */
  period: z.object({ from: Timestamp.nullable(), to: Timestamp }).nullable(),
  /** By whom it was paid: `credit`, `vouchers` or a provider. */
  paidBy: z.array(z.object({ by: z.string(), amount: z.string() })),
  /** The receipt that a credit note takes back. */
  corrects: z.string().nullable(),
})
export type ReceiptContent = z.output<typeof ReceiptContent>

export const Receipt = ReceiptContent.extend({
  /** Counts up without gaps over the whole house: R-000041, C-000042. */
  number: z.string(),
  kind: ReceiptKind,
  orderId: Id,
  issuedAt: Timestamp,
})
export type Receipt = z.output<typeof Receipt>

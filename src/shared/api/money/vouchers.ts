import { z } from 'zod'
import { parseAmount } from '../../rules/money/money.ts'
import { Id, idParams, nothing, optionalText, orNull, Price, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

export const VoucherState = z.enum(['unused', 'used', 'expired'])
export type VoucherState = z.output<typeof VoucherState>

/** A voucher as operators see it. Which account has used it is not stored. */
export const Voucher = z.object({
  id: Id,
  /** Vouchers made together have the same. */
  batch: z.string(),
  /** The last letters of the code, to find it on paper. */
  ending: z.string(),
  amount: z.string(),
  currency: z.string(),
  note: z.string().nullable(),
  state: VoucherState,
  createdAt: Timestamp,
  expiresAt: Timestamp.nullable(),
  usedAt: Timestamp.nullable(),
})
export type Voucher = z.output<typeof Voucher>

const VOUCHERS_AT_ONCE = 500

export const VoucherCreate = z.object({
  count: z
    .number()
    .int('Please enter a whole number')
    .min(1, 'Please make at least one')
    .max(VOUCHERS_AT_ONCE, `Please make at most ${VOUCHERS_AT_ONCE} at once`),
  amount: Price.refine(
    (amount) => (parseAmount(amount) ?? 0) > 0,
    'Please enter an amount above 0',
  ),
  expiresAt: z.iso
    .datetime('Please enter a time such as 2027-01-31T00:00:00Z')
    .nullable()
    .optional(),
  note: orNull(optionalText(200)),
})

/** Only here are the codes readable. */
export const NewVouchers = z.object({
  batch: z.string(),
  amount: z.string(),
  currency: z.string(),
  expiresAt: Timestamp.nullable(),
  vouchers: z.array(z.object({ id: Id, code: z.string() })),
})
export type NewVouchers = z.output<typeof NewVouchers>

export const vouchers = {
  list: route({
    method: 'GET',
    path: '/api/vouchers',
    access: 'admin',
    staff: 'money',
    summary: 'All vouchers, without their codes',
    query: z.object({ state: VoucherState.optional() }),
    response: z.array(Voucher),
  }),
  create: route({
    method: 'POST',
    path: '/api/vouchers',
    idempotent: true,
    access: 'admin',
    staff: 'money',
    summary: 'Make vouchers; only this answer has their codes',
    body: VoucherCreate,
    response: NewVouchers,
    status: 201,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/vouchers/:id',
    access: 'admin',
    staff: 'money',
    summary: 'Withdraw a voucher that nobody has used',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  redeem: route({
    method: 'POST',
    path: '/api/client/vouchers/redeem',
    idempotent: true,
    access: 'client-in-person',
    limit: 'strict',
    summary: 'Turn a voucher into credit',
    body: z.object({ code: z.string().max(200) }),
    response: z.object({ amount: z.string(), credit: z.string(), currency: z.string() }),
  }),
}

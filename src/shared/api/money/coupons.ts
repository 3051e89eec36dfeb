import { z } from 'zod'
import { COUPON_STATES } from '../../rules/money/coupon.ts'
import { parseAmount } from '../../rules/money/money.ts'
import { MONTHS } from '../../rules/money/months.ts'
import { readVoucher } from '../../rules/money/voucher-code.ts'
import { Id, idParams, nothing, optionalText, orNull, Price, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

/** A discount by a code. It lowers the price of an order, and is never money itself. */
export const Coupon = z.object({
  id: Id,
  code: z.string(),
  /** One of the two. */
  percent: z.number().int().nullable(),
  amountOff: z.string().nullable(),
  currency: z.string(),
  /** Null: every package, and servers of the marketplace. */
  packageIds: z.array(z.string()).nullable(),
  /** Only for the first purchase of an account. */
  firstOnly: z.boolean(),
  /** For renewals as well as purchases. */
  renewals: z.boolean(),
  validFrom: Timestamp.nullable(),
  validUntil: Timestamp.nullable(),
  maxUses: z.number().int().nullable(),
  maxPerAccount: z.number().int().nullable(),
  note: z.string().nullable(),
  isOn: z.boolean(),
  state: z.enum(COUPON_STATES),
  /** Orders that are paid, and orders that wait for their payment. */
  used: z.number().int(),
  reserved: z.number().int(),
  createdAt: Timestamp,
})
export type Coupon = z.output<typeof Coupon>

const FEWEST_LETTERS = 4
const CODE_RULE = 'Please use 4 to 30 letters, digits and dashes for the code'

const isCode = (code: string): boolean =>
  /^[A-Z0-9-]{1,30}$/.test(code) && readVoucher(code).replaceAll('-', '').length >= FEWEST_LETTERS

const Uses = z
  .number()
  .int('Please enter a whole number')
  .min(1, 'Please allow at least one use')
  .max(1_000_000, 'Please allow at most 1000000 uses')
  .nullable()
  .optional()

const Moment = z.iso
  .datetime('Please enter a time such as 2027-01-31T00:00:00Z')
  .nullable()
  .optional()

export const CouponCreate = z
  .object({
    /** Made here where none is given. */
    code: orNull(z.string().trim().toUpperCase().refine(isCode, CODE_RULE)),
    percent: z
      .number()
      .int('Please enter a whole number')
      .min(1, 'Please take off at least 1 percent')
      .max(100, 'Please take off at most 100 percent')
      .nullable()
      .optional(),
    amountOff: Price.refine(
      (amount) => (parseAmount(amount) ?? 0) > 0,
      'Please enter an amount above 0',
    )
      .nullable()
      .optional(),
    packageIds: z
      .array(z.string().max(40))
      .min(1, 'Please choose at least one package')
      .max(100)
      .nullable()
      .optional(),
    firstOnly: z.boolean().optional(),
    renewals: z.boolean().optional(),
    validFrom: Moment,
    validUntil: Moment,
    maxUses: Uses,
    maxPerAccount: Uses,
    note: orNull(optionalText(200)),
  })
  .superRefine((coupon, context) => {
    const problem = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    const percent = coupon.percent ?? null
    if ((percent === null) === ((coupon.amountOff ?? null) === null)) {
      problem('percent', 'Please enter either a percentage or an amount')
    }
    if (percent === 100 && (coupon.maxUses ?? null) === null) {
      problem('maxUses', 'Please limit the uses of a coupon that makes orders free')
    }
    if (coupon.firstOnly && coupon.renewals) {
      problem('renewals', 'A renewal is never a first purchase: please choose one of the two')
    }
    const { validFrom, validUntil } = coupon
    if (validFrom && validUntil && Date.parse(validFrom) >= Date.parse(validUntil)) {
      problem('validUntil', 'Please choose an end after the beginning')
    }
  })

/** The code of a coupon, where an order takes one. */
export const WithCoupon = z.object({ coupon: z.string().max(200).optional() })
export type WithCoupon = z.output<typeof WithCoupon>

const CouponPreview = z.object({
  code: z.string(),
  percent: z.number().int().nullable(),
  amountOff: z.string().nullable(),
  /** The price without the coupon, what is taken off, and what is left to pay. */
  price: z.string(),
  discount: z.string(),
  total: z.string(),
  currency: z.string(),
})
export type CouponPreview = z.output<typeof CouponPreview>

const PreviewOf = z
  .object({
    code: z.string().max(200),
    packageId: z.string().max(40).optional(),
    /** A server of the marketplace, or one of the caller's to renew. */
    tokenId: Id.optional(),
    months: z.literal(MONTHS, 'Please choose 1, 3, 6 or 12 months').optional(),
  })
  .refine(({ packageId, tokenId }) => (packageId === undefined) !== (tokenId === undefined), {
    path: ['packageId'],
    message: 'Please name either a package or a server',
  })

export const coupons = {
  list: route({
    method: 'GET',
    path: '/api/coupons',
    access: 'admin',
    staff: 'money',
    summary: 'All coupons, with how often each was used',
    response: z.array(Coupon),
  }),
  create: route({
    method: 'POST',
    path: '/api/coupons',
    idempotent: true,
    access: 'admin',
    staff: 'money',
    summary: 'Make a coupon, with a code of your own or one that is made here',
    body: CouponCreate,
    response: Coupon,
    status: 201,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/coupons/:id',
    access: 'admin',
    staff: 'money',
    summary: 'Switch a coupon off or on; orders that have it keep it',
    params: idParams,
    body: z.object({ isOn: z.boolean() }),
    response: Coupon,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/coupons/:id',
    access: 'admin',
    staff: 'money',
    summary: 'Delete a coupon that no order has',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  preview: route({
    method: 'POST',
    path: '/api/client/coupons/preview',
    access: 'client-in-person',
    scope: 'billing:spend',
    isHarmless: true,
    limit: 'strict',
    summary: 'What an order would cost with a coupon; nothing is ordered or reserved',
    body: PreviewOf,
    response: CouponPreview,
  }),
}

import { desc, eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { Coupon, CouponCreate } from '#shared/api/money/coupons.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { couponState } from '#shared/rules/money/coupon.ts'
import { decimal, parseAmount } from '#shared/rules/money/money.ts'
import { RANDOM_LETTERS, readVoucher, voucherCode } from '#shared/rules/money/voucher-code.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { type CouponRow, usesOf } from '../../coupons/coupon-rows.ts'
import { brokenConstraint, type Db } from '../../db/database.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { coupons } from '../../db/schema/stock.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

const CURRENCY = 'usd'
const SHOWN = 2000

type CouponsDeps = Pick<Deps, 'db' | 'clock' | 'random'> & { audit: Audit }

/** Coupons as operators make them and switch them off. */
export function couponsService({ db, clock, random, audit }: CouponsDeps) {
  const toCoupons = async (reader: Db, rows: CouponRow[]): Promise<z.input<typeof Coupon>[]> => {
    if (rows.length === 0) return []
    const uses = await usesOf(
      reader,
      rows.map(({ code }) => code),
    )
    return rows.map((row) => toCoupon(row, uses.get(row.code), clock.now()))
  }

  const one = async (tx: Db, row: CouponRow) => {
    const [coupon] = await toCoupons(tx, [row])
    if (!coupon) throw notFound('Coupon')
    return coupon
  }

  return {
    list: async (): Promise<z.input<typeof Coupon>[]> =>
      toCoupons(db, await db.select().from(coupons).orderBy(desc(coupons.id)).limit(SHOWN)),

    async create(
      actor: Actor,
      { amountOff, validFrom, validUntil, ...body }: z.output<typeof CouponCreate>,
    ): Promise<z.input<typeof Coupon>> {
      const now = clock.now()
      const end = validUntil ? new Date(validUntil) : null
      if (end !== null && end <= now) {
        throw new AppError('INVALID_INPUT', 'Please choose a day to come for the end.')
      }
      const code = body.code ?? voucherCode(random.bytes(RANDOM_LETTERS))
      const offCents = amountOff ? (parseAmount(amountOff) ?? null) : null
      const start = validFrom ? new Date(validFrom) : null
      const dates = { validFrom: start, validUntil: end, createdAt: now }
      try {
        return await db.transaction(async (tx) => {
          await requirePackages(tx, body.packageIds ?? [])
          const [row] = await tx
            .insert(coupons)
            .values({ ...body, ...dates, code, typed: readVoucher(code), offCents })
            .returning()
          if (!row) throw new Error('the coupon was not stored')
          const details = { percent: row.percent, cents: row.offCents }
          const entry = { target: `coupon:${row.id}`, details }
          await audit.record(tx, actor, { action: 'coupon.create', ...entry })
          return await one(tx, row)
        })
      } catch (error) {
        throw asTaken(error)
      }
    },

    /** Orders that have it already keep their price. */
    setOn: (actor: Actor, id: number, isOn: boolean): Promise<z.input<typeof Coupon>> =>
      db.transaction(async (tx) => {
        const [row] = await tx.update(coupons).set({ isOn }).where(eq(coupons.id, id)).returning()
        if (!row) throw notFound('Coupon')
        const action = isOn ? 'coupon.switch-on' : 'coupon.switch-off'
        await audit.record(tx, actor, { action, target: `coupon:${id}` })
        return await one(tx, row)
      }),

    remove: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        // Locked as an order locks it: no order takes it before it is gone.
        const [row] = await tx.select().from(coupons).where(eq(coupons.id, id)).for('update')
        if (!row) throw notFound('Coupon')
        const [order] = await tx
          .select({ id: orders.id })
          .from(orders)
          .where(eq(orders.coupon, row.code))
          .limit(1)
        if (order) {
          const sentence =
            'Orders have this coupon, so it stays in the books. Switch it off instead.'
          throw new AppError('IN_USE', sentence)
        }
        await tx.delete(coupons).where(eq(coupons.id, id))
        await audit.record(tx, actor, { action: 'coupon.delete', target: `coupon:${id}` })
      }),
  }
}

async function requirePackages(tx: Db, ids: readonly string[]): Promise<void> {
  const known = new Set((await tx.select({ id: packages.id }).from(packages)).map(({ id }) => id))
  if (ids.every((id) => known.has(id))) return
  throw new AppError('INVALID_INPUT', 'One of these packages no longer exists. Choose again.')
}

function asTaken(error: unknown): unknown {
  const broken = brokenConstraint(error)
  if (broken !== 'coupons_code_unique' && broken !== 'coupons_typed_unique') return error
  const sentence = 'Another coupon has this code, or one that reads the same. Choose another code.'
  return new AppError('CONFLICT', sentence, { cause: error })
}

const toCoupon = (
  row: CouponRow,
  { used, reserved } = { used: 0, reserved: 0 },
  now: Date,
): z.input<typeof Coupon> => ({
  ...row,
  amountOff: row.offCents === null ? null : decimal(row.offCents),
  currency: CURRENCY,
  state: couponState(row, used + reserved, now),
  used,
  reserved,
})

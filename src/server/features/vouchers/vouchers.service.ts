import { and, desc, eq, gt, isNotNull, isNull, lte, or } from 'drizzle-orm'
import type { z } from 'zod'
import type {
  NewVouchers,
  Voucher,
  VoucherCreate,
  VoucherState,
} from '#shared/api/money/vouchers.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { decimal, parseAmount } from '#shared/rules/money/money.ts'
import { RANDOM_LETTERS, voucherCode } from '#shared/rules/money/voucher-code.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { vouchers } from '../../db/schema/ledger.ts'
import { creditOf, lockCredit } from '../../ledger/credit.ts'
import { transfer } from '../../ledger/ledger.ts'
import { randomId } from '../../lib/random.ts'
import { createCodeGate } from '../../limits/code-gate.ts'
import type { Limiters } from '../../limits/limiters.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { voucherHash } from './voucher-hash.ts'

const CURRENCY = 'usd'
const SHOWN = 2000

type VouchersDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'keyring' | 'events'> & {
  audit: Audit
  limiters: Limiters
}
type Row = typeof vouchers.$inferSelect

/** The one answer to every code that gives nothing: wrong, used, expired or withdrawn. */
const invalidVoucher = () =>
  new AppError('INVALID_VOUCHER', 'This code is not valid. Compare it with the voucher.')

/** Vouchers: money that a client brings as a code, and that becomes credit once. */
export function vouchersService(deps: VouchersDeps) {
  const { db, clock, random, events, audit } = deps
  const gate = createCodeGate(deps.limiters, { name: 'voucher' })

  return {
    async list(state: VoucherState | undefined): Promise<z.input<typeof Voucher>[]> {
      const now = clock.now()
      const rows = await db
        .select()
        .from(vouchers)
        .where(state && isIn(state, now))
        .orderBy(desc(vouchers.id))
        .limit(SHOWN)
      return rows.map((row) => toVoucher(row, now))
    },

    create: (
      actor: Actor,
      { count, amount, expiresAt = null, note = null }: z.output<typeof VoucherCreate>,
    ): Promise<z.input<typeof NewVouchers>> =>
      db.transaction(async (tx) => {
        const now = clock.now()
        const end = expiresAt === null ? null : new Date(expiresAt)
        if (end !== null && end <= now) {
          throw new AppError('INVALID_INPUT', 'Please choose a day to come for the end.')
        }
        const hashOf = await voucherHash(tx, deps)
        const amountCents = parseAmount(amount) ?? 0
        const batch = randomId(random, 6)
        const codes = Array.from({ length: count }, () => voucherCode(random.bytes(RANDOM_LETTERS)))
        const rows = await tx
          .insert(vouchers)
          .values(
            codes.map((code) => ({
              batch,
              codeHash: hashOf(code),
              ending: code.slice(-4),
              amountCents,
              note,
              expiresAt: end,
              createdAt: now,
            })),
          )
          .returning({ id: vouchers.id })
        const details = { batch, count, cents: amountCents }
        await audit.record(tx, actor, { action: 'voucher.create', target: 'vouchers', details })
        return {
          batch,
          amount: decimal(amountCents),
          currency: CURRENCY,
          expiresAt: end,
          vouchers: rows.map(({ id }, index) => ({ id, code: codes[index] ?? '' })),
        }
      }),

    remove: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        const [row] = await tx
          .delete(vouchers)
          .where(and(eq(vouchers.id, id), isNull(vouchers.usedAt)))
          .returning()
        if (!row) {
          const [used] = await tx.select().from(vouchers).where(eq(vouchers.id, id))
          if (!used) throw notFound('Voucher')
          throw new AppError('INVALID_STATE', 'This voucher is used: its money is credit already.')
        }
        const details = { cents: row.amountCents }
        await audit.record(tx, actor, {
          action: 'voucher.delete',
          target: `voucher:${id}`,
          details,
        })
      }),

    /**
     * One conditional update decides who gets the money; every refusal is the same update that
     * finds nothing. The log does not say which voucher it was.
     */
    redeem: (actor: Actor, typed: string) =>
      gate.pass(actor.user.id, () =>
        db.transaction(async (tx) => {
          const { id: userId } = actor.user
          const at = clock.now()
          await lockCredit(tx, userId)
          const hashOf = await voucherHash(tx, deps)
          const [row] = await tx
            .update(vouchers)
            .set({ usedAt: at })
            .where(and(eq(vouchers.codeHash, hashOf(typed)), isIn('unused', at)))
            .returning()
          if (!row) throw invalidVoucher()
          const { amountCents: cents } = row
          await transfer(tx, {
            from: 'vouchers',
            to: 'credit',
            cents,
            userId,
            reason: 'voucher',
            at,
          })
          await publishTokenChange(tx, events, userId)
          const entry = { target: `user:${userId}`, details: { cents } }
          await audit.record(tx, actor, { action: 'voucher.redeem', ...entry })
          const credit = decimal(await creditOf(tx, userId))
          return { amount: decimal(cents), credit, currency: CURRENCY }
        }),
      ),
  }
}

function isIn(state: VoucherState, now: Date) {
  switch (state) {
    case 'used':
      return isNotNull(vouchers.usedAt)
    case 'unused':
      return and(
        isNull(vouchers.usedAt),
        or(isNull(vouchers.expiresAt), gt(vouchers.expiresAt, now)),
      )
    case 'expired':
      return and(isNull(vouchers.usedAt), lte(vouchers.expiresAt, now))
  }
}

const stateOf = ({ usedAt, expiresAt }: Row, now: Date): VoucherState => {
  if (usedAt !== null) return 'used'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'unused'
}

const toVoucher = (row: Row, now: Date): z.input<typeof Voucher> => ({
  id: row.id,
  batch: row.batch,
  ending: row.ending,
  amount: decimal(row.amountCents),
  currency: CURRENCY,
  note: row.note,
  state: stateOf(row, now),
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
  usedAt: row.usedAt,
})

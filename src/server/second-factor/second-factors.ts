import { and, eq, isNotNull, isNull, lt } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { recoveryCodes, secondFactors, users } from '../db/schema/accounts.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Limiters } from '../limits/limiters.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { secondFactorSecret } from '../secrets/sealed-columns.ts'
import { createGuessLimit, type Door } from './guess-limit.ts'
import { createPasskeys } from './passkeys.ts'
import { CODES, hashOfRecoveryCode, newRecoveryCode } from './recovery-codes.ts'
import { asBase32, asTotp, SECRET_BYTES, stepOfCode } from './totp.ts'

const WRONG_CODE =
  'This code is not right, or it was used already. Enter the newest one of your app.'

type SecondFactorDeps = {
  db: Db
  clock: Clock
  random: Random
  keyring: Keyring
  limiters: Limiters
  config: Config
}

export type SecondFactors = ReturnType<typeof createSecondFactors>

export function createSecondFactors(deps: SecondFactorDeps) {
  const { db, clock, random, keyring } = deps
  const limits = {
    'sign-in': createGuessLimit(deps.limiters, 'sign-in'),
    session: createGuessLimit(deps.limiters, 'session'),
  }

  const rowOf = async (tx: Db, userId: number) => {
    const [row] = await tx.select().from(secondFactors).where(eq(secondFactors.userId, userId))
    return row
  }
  const secretOf = ({ userId, secret }: { userId: number; secret: string }) =>
    Buffer.from(keyring.open(secondFactorSecret(userId), secret), 'base64')

  /** One update decides who used a code, over all processes: it and older ones end with it. */
  const takeStep = async (tx: Db, userId: number, digits: string): Promise<boolean> => {
    const row = await rowOf(tx, userId)
    const step = row && stepOfCode(secretOf(row), digits, clock.now())
    if (step === undefined) return false
    const taken = await tx
      .update(secondFactors)
      .set({ lastStep: step })
      .where(
        and(
          eq(secondFactors.userId, userId),
          isNotNull(secondFactors.confirmedAt),
          lt(secondFactors.lastStep, step),
        ),
      )
      .returning({ userId: secondFactors.userId })
    return taken.length > 0
  }

  const takeRecoveryCode = async (tx: Db, userId: number, codeHash: string): Promise<boolean> => {
    const mine = and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash))
    return (await tx.delete(recoveryCodes).where(mine).returning()).length > 0
  }

  return {
    /** In place of a code. */
    passkeys: createPasskeys(deps),

    async isOn(userId: number): Promise<boolean> {
      return ((await rowOf(db, userId))?.confirmedAt ?? null) !== null
    },

    async stateOf(tx: Db, userId: number) {
      const since = (await rowOf(tx, userId))?.confirmedAt ?? null
      const codesLeft = await tx.$count(recoveryCodes, eq(recoveryCodes.userId, userId))
      return { isOn: since !== null, since, codesLeft }
    },

    /** A new secret in place of one that was never confirmed. */
    async begin(tx: Db, userId: number): Promise<string> {
      const bytes = random.bytes(SECRET_BYTES)
      const secret = keyring.seal(secondFactorSecret(userId), bytes.toString('base64'))
      const [row] = await tx
        .insert(secondFactors)
        .values({ userId, secret, createdAt: clock.now() })
        .onConflictDoUpdate({
          target: secondFactors.userId,
          set: { secret, createdAt: clock.now() },
          setWhere: isNull(secondFactors.confirmedAt),
        })
        .returning({ userId: secondFactors.userId })
      if (!row) throw alreadyOn()
      return asBase32(bytes)
    },

    /** Turns it on by a first code, which counts as used. Returns the recovery codes. */
    async confirm(
      userId: number,
      typed: string,
      then: (tx: Db) => Promise<void>,
    ): Promise<string[]> {
      return await limits.session.pass(userId, () =>
        db.transaction(async (tx) => {
          const row = await rowOf(tx, userId)
          if (!row) {
            throw new AppError('INVALID_STATE', 'Ask for a new secret first, then enter its code.')
          }
          if (row.confirmedAt !== null) throw alreadyOn()
          const digits = asTotp(typed)
          const step = digits && stepOfCode(secretOf(row), digits, clock.now())
          if (!step) throw wrongCode()
          const on = await tx
            .update(secondFactors)
            .set({ confirmedAt: clock.now(), lastStep: step })
            .where(
              and(
                eq(secondFactors.userId, userId),
                isNull(secondFactors.confirmedAt),
                eq(secondFactors.secret, row.secret),
              ),
            )
            .returning({ userId: secondFactors.userId })
          if (on.length === 0) throw alreadyOn()
          const codes = Array.from({ length: CODES }, () => newRecoveryCode(random))
          await tx.insert(recoveryCodes).values(
            codes.map((code) => {
              const codeHash = hashOfRecoveryCode(code)
              if (codeHash === undefined) throw new Error('a recovery code cannot be read')
              return { userId, codeHash }
            }),
          )
          await then(tx)
          return codes
        }),
      )
    },

    /** Uses a code up, of the app or of the paper, together with what it was entered for. */
    async use<T>(
      { userId, door }: { userId: number; door: Door },
      typed: string,
      then: (tx: Db, used: 'app' | 'recovery-code') => Promise<T>,
    ): Promise<T> {
      const together = (used: 'app' | 'recovery-code', take: (tx: Db) => Promise<boolean>) =>
        db.transaction(async (tx) => {
          // First, as everything that changes an account does: no two wait for each other.
          await tx.select().from(users).where(eq(users.id, userId)).for('no key update')
          if (!(await take(tx))) throw wrongCode()
          return await then(tx, used)
        })
      const digits = asTotp(typed)
      if (digits !== undefined) {
        return await limits[door].pass(userId, () =>
          together('app', (tx) => takeStep(tx, userId, digits)),
        )
      }
      const codeHash = hashOfRecoveryCode(typed)
      if (codeHash === undefined) throw wrongCode()
      return await together('recovery-code', (tx) => takeRecoveryCode(tx, userId, codeHash))
    },
  }
}

/** Returns whether there was one. */
export async function removeSecondFactor(tx: Db, userId: number): Promise<boolean> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  const removed = await tx
    .delete(secondFactors)
    .where(eq(secondFactors.userId, userId))
    .returning({ confirmedAt: secondFactors.confirmedAt })
  return removed.some(({ confirmedAt }) => confirmedAt !== null)
}

const wrongCode = () => new AppError('INVALID_INPUT', WRONG_CODE, { details: { reason: 'code' } })

const alreadyOn = () =>
  new AppError('INVALID_STATE', 'Your second factor is on already. Turn it off first.')

import { randomUUID } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import { and, eq, lt, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { AppError } from '#shared/errors.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { idempotencyKeys } from '../db/schema/idempotency.ts'
import type { Clock } from '../lib/clock.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { callRecord } from '../secrets/sealed-columns.ts'

/**
 * How long a request may work before a repeated one may take over, as when its process was killed.
 */
const LEASE_SECONDS = 30
const KEPT_MS = DAY_MS
/** By then nearly every running call is done. */
const RETRY_SECONDS = 1

const CallRecord = z.object({
  fingerprint: z.string(),
  /** The result of the call's transaction, serialised by v8: dates stay dates. */
  effect: z.string().optional(),
  answer: z.object({ status: z.number(), body: z.string().optional() }).optional(),
})
type CallRecord = z.output<typeof CallRecord>

/** The answer as it was sent: 204 has no body. */
export type StoredAnswer = { status: number; body?: string | undefined }

/** The right to work on a key, and the record of an earlier attempt. */
export type Claim = { id: string; attempt: string; record: CallRecord }

export type KeyedCall = { userId: number; key: string; fingerprint: string }

type Row = typeof idempotencyKeys.$inferSelect
type StoreDeps = { db: Db; clock: Clock; keyring: Keyring }

/** The rows of idempotency keys. Leases use the database's clock, which all processes share. */
export function createKeyStore({ db, clock, keyring }: StoreDeps) {
  const seal = (id: string, record: CallRecord) =>
    keyring.seal(callRecord(id), JSON.stringify(record))
  const open = ({ id, sealed }: Pick<Row, 'id' | 'sealed'>): CallRecord =>
    CallRecord.parse(JSON.parse(keyring.open(callRecord(id), sealed)))
  const leased = sql`now() + make_interval(secs => ${LEASE_SECONDS})`

  const insert = async ({ userId, key, fingerprint }: KeyedCall): Promise<Claim | undefined> => {
    const id = randomUUID()
    const attempt = randomUUID()
    const record = { fingerprint }
    const [row] = await db
      .insert(idempotencyKeys)
      .values({
        id,
        userId,
        key,
        attempt,
        state: 'running',
        leasedUntil: leased,
        sealed: seal(id, record),
        createdAt: clock.now(),
      })
      .onConflictDoNothing()
      .returning({ id: idempotencyKeys.id })
    return row && { id, attempt, record }
  }

  const takeOver = async (row: Row): Promise<Claim | undefined> => {
    const attempt = randomUUID()
    const [taken] = await db
      .update(idempotencyKeys)
      .set({ attempt, leasedUntil: leased })
      .where(and(held(row), lt(idempotencyKeys.leasedUntil, sql`now()`)))
      .returning()
    return taken && { id: row.id, attempt, record: open(taken) }
  }

  const write = async (where: Db, claim: Claim, state: Row['state']): Promise<boolean> => {
    const sealed = seal(claim.id, claim.record)
    const rows = await where
      .update(idempotencyKeys)
      .set({ state, sealed, leasedUntil: leased })
      .where(held(claim))
      .returning({ id: idempotencyKeys.id })
    return rows.length > 0
  }

  return {
    /**
     * Returns the right to proceed, or the earlier answer. Refuses a key that is busy or reused.
     */
    async claim(call: KeyedCall): Promise<Claim | StoredAnswer> {
      const made = await insert(call)
      if (made) return made
      const { userId, key } = call
      const [row] = await db
        .select()
        .from(idempotencyKeys)
        .where(and(eq(idempotencyKeys.userId, userId), eq(idempotencyKeys.key, key)))
      if (!row) return await this.claim(call)
      if (row.createdAt.getTime() <= clock.now().getTime() - KEPT_MS) {
        await db.delete(idempotencyKeys).where(held(row))
        return await this.claim(call)
      }
      const { fingerprint, answer } = open(row)
      if (fingerprint !== call.fingerprint) {
        throw new AppError(
          'IDEMPOTENCY_KEY_REUSED',
          'This Idempotency-Key was used for another request. Send a new key.',
        )
      }
      if (answer) return answer
      const taken = await takeOver(row)
      if (!taken) throw inFlight()
      return taken
    },

    /** Called in the effect's transaction: both are committed, or neither. */
    async storeEffect(tx: Db, claim: Claim, result: unknown): Promise<void> {
      claim.record = { ...claim.record, effect: serialize(result).toString('base64') }
      // Another request took over while this one was slow: only one of them may have an effect.
      if (!(await write(tx, claim, 'done'))) throw inFlight()
    },

    /** Called in the transaction that undoes the effect. */
    async forgetEffect(tx: Db, claim: Claim): Promise<void> {
      claim.record = { fingerprint: claim.record.fingerprint }
      await write(tx, claim, 'running')
    },

    async storeAnswer(claim: Claim, answer: StoredAnswer): Promise<void> {
      claim.record = { fingerprint: claim.record.fingerprint, answer }
      await write(db, claim, 'answered')
    },

    /**
     * After a failure: a call without an effect leaves no trace, one with an effect may be resumed.
     */
    async letGo(claim: Claim): Promise<void> {
      const isRunning = eq(idempotencyKeys.state, 'running')
      await db.delete(idempotencyKeys).where(and(held(claim), isRunning))
      await db.update(idempotencyKeys).set({ leasedUntil: sql`now()` }).where(held(claim))
    },

    async prune(): Promise<void> {
      const before = new Date(clock.now().getTime() - KEPT_MS)
      await db.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, before))
    },
  }
}

export const effectOf = ({ record }: Claim): { result: unknown } | undefined =>
  record.effect === undefined
    ? undefined
    : { result: deserialize(Buffer.from(record.effect, 'base64')) }

const held = ({ id, attempt }: Pick<Claim, 'id' | 'attempt'>): SQL | undefined =>
  and(eq(idempotencyKeys.id, id), eq(idempotencyKeys.attempt, attempt))

const inFlight = () =>
  new AppError('IN_FLIGHT', 'The same request is still being worked on. Ask again in a second.', {
    retryAfter: RETRY_SECONDS,
  })

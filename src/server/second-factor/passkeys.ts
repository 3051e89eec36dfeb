import { and, asc, eq, isNotNull, lt, or, sql } from 'drizzle-orm'
import { PASSKEYS_MAX } from '#shared/api/people/passkeys.ts'
import type {
  Assertion,
  CreationOptions,
  NewCredential,
  RequestOptions,
} from '#shared/api/people/webauthn.ts'
import { AppError } from '#shared/errors.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { passkeys, secondFactors, users } from '../db/schema/accounts.ts'
import type { Clock } from '../lib/clock.ts'
import { type Random, randomId } from '../lib/random.ts'
import { type Asked, CHALLENGE_MS, createChallenges } from './challenges.ts'
import { type RelyingParty, relyingPartyOf } from './relying-party.ts'
import {
  ALGORITHMS,
  challengeOf,
  counterOfAssertion,
  readNewCredential,
  refused,
  WRONG_PASSKEY,
} from './webauthn.ts'

/** As long as the WebAuthn standard allows. Random for each passkey, and stored nowhere. */
const USER_HANDLE_BYTES = 64

type PasskeyDeps = { db: Db; clock: Clock; random: Random; config: Config }
type NewPasskey = Awaited<ReturnType<typeof readNewCredential>>

export function createPasskeys({ db, clock, random, config }: PasskeyDeps) {
  const party = relyingPartyOf(config)
  const challenges = createChallenges({ db, clock, random })

  /** Of those of an account, the ones that a browser can use at this address. */
  const usableOf = async (userId: number) => {
    if (!party) return []
    const rows = await db
      .select({ id: passkeys.credentialId })
      .from(passkeys)
      .where(and(eq(passkeys.userId, userId), eq(passkeys.address, party.id)))
      .orderBy(asc(passkeys.id))
    return rows.map(({ id }) => ({ id, type: 'public-key' as const }))
  }

  /** Takes the challenge of an answer, which works once, with the site it was issued for. */
  const answered = async (answer: Assertion | NewCredential, asked: Asked) => {
    const challenge = challengeOf(answer)
    const isTaken = challenge !== undefined && (await challenges.take(challenge, asked))
    if (party && isTaken) return { challenge, party }
    throw refused('This took too long, or it was answered already. Please try again.')
  }

  return {
    listOf: (tx: Db, userId: number) =>
      tx.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(asc(passkeys.id)),

    /** What an authenticator needs to make a passkey. */
    async begin(
      { userId, sessionId }: { userId: number; sessionId: number },
      name: string,
    ): Promise<CreationOptions> {
      const rp = requireParty(party)
      return {
        challenge: await challenges.issue({ use: 'add', userId, sessionId }),
        rp: { id: rp.id, name: rp.name },
        // Devices store these and may copy them to a cloud: not the account's number.
        user: { id: randomId(random, USER_HANDLE_BYTES), name, displayName: name },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
        timeout: CHALLENGE_MS,
        attestation: 'none',
        excludeCredentials: await usableOf(userId),
        authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
      }
    },

    /** The passkey that an authenticator made, proven to be for us. */
    async readNew(
      { userId, sessionId }: { userId: number; sessionId: number },
      credential: NewCredential,
    ): Promise<NewPasskey> {
      const expected = await answered(credential, { use: 'add', userId, sessionId })
      return await readNewCredential(credential, expected)
    },

    async store(tx: Db, userId: number, name: string, made: NewPasskey) {
      // First, as everything that changes an account does: its second factor stays on meanwhile.
      await tx.select().from(users).where(eq(users.id, userId)).for('no key update')
      await requireApp(tx, userId)
      if ((await tx.$count(passkeys, eq(passkeys.userId, userId))) >= PASSKEYS_MAX) {
        throw new AppError(
          'CONFLICT',
          `An account has at most ${PASSKEYS_MAX} passkeys. Remove one that you no longer use.`,
        )
      }
      const { id: address } = requireParty(party)
      const [row] = await tx
        .insert(passkeys)
        .values({ ...made, userId, name, address, createdAt: clock.now() })
        .onConflictDoNothing({ target: passkeys.credentialId })
        .returning()
      if (row) return row
      throw new AppError('CONFLICT', 'This passkey was added already.')
    },

    /** What a passkey is to sign; undefined for an account without one for this address. */
    async ask(asked: Asked): Promise<RequestOptions | undefined> {
      const allowCredentials = await usableOf(asked.userId)
      if (!party || allowCredentials.length === 0) return undefined
      return {
        challenge: await challenges.issue(asked),
        rpId: party.id,
        timeout: CHALLENGE_MS,
        allowCredentials,
        userVerification: 'preferred',
      }
    },

    /** Accepts a signature, together with what it was given for. */
    async use<T>(asked: Asked, assertion: Assertion, then: (tx: Db) => Promise<T>): Promise<T> {
      const expected = await answered(assertion, asked)
      const [row] = await db
        .select()
        .from(passkeys)
        .where(and(eq(passkeys.credentialId, assertion.id), eq(passkeys.userId, asked.userId)))
      if (!row) throw refused(WRONG_PASSKEY)
      const counter = await counterOfAssertion(assertion, row, expected)
      return await db.transaction(async (tx) => {
        await tx.select().from(users).where(eq(users.id, asked.userId)).for('no key update')
        if (!(await countUp(tx, row.id, counter))) throw refused(WRONG_PASSKEY)
        return await then(tx)
      })
    },

    prune: challenges.prune,
  }

  /**
   * One update decides, over all processes: a counter that does not go up is the one of a copy.
   * A passkey that was removed meanwhile has none.
   */
  async function countUp(tx: Db, id: number, counter: number): Promise<boolean> {
    const doesNotCount = and(eq(passkeys.counter, 0), sql`${counter} = 0`)
    const used = await tx
      .update(passkeys)
      .set({ counter, lastUsedOn: clock.now().toISOString().slice(0, 10) })
      .where(and(eq(passkeys.id, id), or(lt(passkeys.counter, counter), doesNotCount)))
      .returning({ id: passkeys.id })
    return used.length > 0
  }
}

/** Only beside an authenticator app: some browsers have no passkeys, and a device can be lost. */
export async function requireApp(tx: Db, userId: number): Promise<void> {
  const isOn = and(eq(secondFactors.userId, userId), isNotNull(secondFactors.confirmedAt))
  if ((await tx.$count(secondFactors, isOn)) > 0) return
  throw new AppError('INVALID_STATE', 'Set up an authenticator app first, then add a passkey.')
}

function requireParty(party: RelyingParty | undefined): RelyingParty {
  if (party) return party
  throw new AppError(
    'INVALID_STATE',
    'Passkeys need https and a name in the address of this site. Use your authenticator app.',
  )
}

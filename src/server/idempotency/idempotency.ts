import { createHash } from 'node:crypto'
import type { Route } from '#shared/api/parts/route.ts'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../db/database.ts'
import { inEffectScope } from '../db/effect-scope.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { createKeyStore, effectOf, type StoredAnswer } from './key-store.ts'

/** Printable ASCII, which every HTTP library sends unchanged. */
const KEY = /^[\x20-\x7e]{1,255}$/

export type Idempotency = ReturnType<typeof createIdempotency>

type Asked = {
  route: Pick<Route, 'method' | 'path'>
  userId: number
  /** The raw header. */
  key: string | string[]
  /** Parsed, so that white space and the order of fields do not matter. */
  input: { params: unknown; query: unknown; body: unknown }
}

/**
 * Gives a call that carries an `Idempotency-Key` one effect and one answer, however often it is sent
 * (decision 012). A call that failed without an effect leaves no trace.
 */
export function createIdempotency(deps: { db: Db; clock: Clock; keyring: Keyring; log: Log }) {
  const { log } = deps
  const store = createKeyStore(deps)
  return {
    async once(
      { route, userId, key, input }: Asked,
      work: () => Promise<StoredAnswer>,
    ): Promise<StoredAnswer & { isReplay: boolean }> {
      const call = { userId, key: checkedKey(key), fingerprint: fingerprintOf(route, input) }
      const claim = await store.claim(call)
      if (!('attempt' in claim)) return { ...claim, isReplay: true }
      const scope = {
        stored: effectOf(claim),
        store: (tx: Db, result: unknown) => store.storeEffect(tx, claim, result),
        forget: (tx: Db) => store.forgetEffect(tx, claim),
        isTaken: false,
      }
      let answer: StoredAnswer
      try {
        answer = await inEffectScope(scope, work)
      } catch (error) {
        await attempt('an idempotency key was not let go', () => store.letGo(claim))
        throw error
      }
      // The effect is committed: an answer that cannot be stored is still sent.
      await attempt('an answer was not kept', () => store.storeAnswer(claim, answer))
      return { ...answer, isReplay: scope.stored !== undefined }
    },

    prune: store.prune,
  }

  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, what)
    }
  }
}

function checkedKey(key: string | string[]): string {
  if (typeof key === 'string' && KEY.test(key)) return key
  throw new AppError(
    'INVALID_INPUT',
    'Idempotency-Key must have 1 to 255 printable ASCII characters.',
  )
}

const fingerprintOf = ({ method, path }: Asked['route'], input: Asked['input']): string =>
  createHash('sha256')
    .update(JSON.stringify([method, path, input.params, input.query, input.body]))
    .digest('base64url')

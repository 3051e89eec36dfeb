import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db } from './database.ts'

/**
 * The effect of a call with an idempotency key is the first transaction the call commits. The scope
 * stores that transaction's result inside the transaction itself; a repeated call is given the stored
 * result instead of running the transaction again.
 */
export type EffectScope = {
  /** The result an earlier attempt committed. */
  readonly stored: { result: unknown } | undefined
  store(tx: Db, result: unknown): Promise<void>
  forget(tx: Db): Promise<void>
  /** True once a transaction of this call is its effect. */
  isTaken: boolean
}

const scopes = new AsyncLocalStorage<EffectScope>()

export const inEffectScope = <T>(scope: EffectScope, work: () => Promise<T>): Promise<T> =>
  scopes.run(scope, work)

/**
 * Runs a transaction as the effect of the current call, if it is the first of a call with a key.
 */
export async function asEffect<T>(
  run: (beforeCommit: (tx: Db, result: T) => Promise<void>) => Promise<T>,
): Promise<T> {
  const scope = scopes.getStore()
  if (!scope || scope.isTaken) return await run(async () => {})
  scope.isTaken = true
  if (scope.stored) return scope.stored.result as T
  try {
    return await run((tx, result) => scope.store(tx, result))
  } catch (error) {
    // Nothing was committed: the next transaction of the call may be its effect.
    scope.isTaken = false
    throw error
  }
}

/**
 * Runs checks and preparations that only make sense before the effect. Undefined for a repeated
 * call whose effect is stored: it has already passed them.
 */
export async function beforeEffect<T>(prepare: () => Promise<T>): Promise<T | undefined> {
  return scopes.getStore()?.stored ? undefined : await prepare()
}

/** Called in the transaction that undoes the effect: the same key may then be used again. */
export async function forgetEffect(tx: Db): Promise<void> {
  await scopes.getStore()?.forget(tx)
}

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db } from './database.ts'
import { asEffect } from './effect-scope.ts'
import { isConnectionLost, LostConnectionError } from './lost-connection.ts'

const insideTransaction = new AsyncLocalStorage<true>()

/**
 * The embedded database has one connection: a query on it from inside a transaction waits for that
 * transaction forever. On PostgreSQL the same mistake escapes the transaction unnoticed. So both
 * refuse it at once.
 */
export class EscapedTransactionError extends Error {
  constructor() {
    super('A query left its transaction: inside db.transaction() use only the tx it hands you.')
    this.name = 'EscapedTransactionError'
  }
}

function refuseInsideTransaction(): void {
  if (insideTransaction.getStore()) throw new EscapedTransactionError()
}

/**
 * Runs `transaction` so that a query on the outer `db` from inside it is refused, and so that the
 * error of a lost connection says whether the transaction may have been committed.
 */
export function guardTransactions(
  db: Db,
  transact: Db['transaction'] = db.transaction.bind(db),
): Db {
  const transaction: Db['transaction'] = async (work, config) => {
    refuseInsideTransaction()
    let isCommitting = false
    try {
      return await asEffect((beforeCommit) =>
        transact(
          (tx) =>
            insideTransaction.run(true, async () => {
              const result = await work(tx)
              await beforeCommit(tx, result)
              isCommitting = true
              return result
            }),
          config,
        ),
      )
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      throw new LostConnectionError(error, { isOutcomeKnown: !isCommitting })
    }
  }
  return new Proxy(db, {
    get(target, property) {
      if (property === 'transaction') return transaction
      const value: unknown = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      const method = value.bind(target)
      return (...args: unknown[]) => {
        refuseInsideTransaction()
        return method(...args)
      }
    },
  })
}

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db } from './database.ts'
import { asEffect } from './effect-scope.ts'

const insideTransaction = new AsyncLocalStorage<true>()

/**
 * The embedded database has one connection: a query on it from inside a transaction waits for
 * that transaction for ever. On PostgreSQL the same slip escapes the transaction unnoticed.
 * So both refuse it at once.
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

/** Runs `transaction` so that a query on the outer `db` from inside it is refused. */
export function guardTransactions(db: Db): Db {
  return new Proxy(db, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target)
      if (property === 'transaction') {
        const transaction: Db['transaction'] = (work, config) => {
          refuseInsideTransaction()
          return asEffect((beforeCommit) =>
            target.transaction(
              (tx) =>
                insideTransaction.run(true, async () => {
                  const result = await work(tx)
                  await beforeCommit(tx, result)
                  return result
                }),
              config,
            ),
          )
        }
        return transaction
      }
      if (typeof value !== 'function') return value
      const method = value.bind(target)
      return (...args: unknown[]) => {
        refuseInsideTransaction()
        return method(...args)
      }
    },
  })
}

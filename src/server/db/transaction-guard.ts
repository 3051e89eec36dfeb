import { AsyncLocalStorage } from 'node:async_hooks'

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

export const runInTransaction = <T>(work: () => Promise<T>): Promise<T> =>
  insideTransaction.run(true, work)

export function refuseInsideTransaction(): void {
  if (insideTransaction.getStore()) throw new EscapedTransactionError()
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { vi } from 'vitest'
import type { Db } from '../db/database.ts'

type Prepared = { execute(...values: unknown[]): unknown }
type Session = { prepareQuery(query: { sql: string }, ...rest: unknown[]): Prepared }

/**
 * The queries that `work` asks, and not those of sweeps at the same time. Only what is prepared from
 * here on is counted: build the service after this call.
 */
export function askedQueries(db: Db) {
  const asked = new AsyncLocalStorage<string[]>()
  const { session } = db as unknown as { session: Session }
  const prepareQuery = session.prepareQuery.bind(session)
  const spy = vi.spyOn(session, 'prepareQuery').mockImplementation((query, ...rest) => {
    const prepared = prepareQuery(query, ...rest)
    const execute = prepared.execute.bind(prepared)
    prepared.execute = (...values) => {
      asked.getStore()?.push(query.sql)
      return execute(...values)
    }
    return prepared
  })
  return {
    async of(work: () => Promise<unknown>): Promise<string[]> {
      const queries: string[] = []
      await asked.run(queries, work)
      return queries
    },
    restore: () => spy.mockRestore(),
  }
}

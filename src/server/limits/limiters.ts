import { gt, lt, or } from 'drizzle-orm'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
} from 'rate-limiter-flexible'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { limits } from '../db/schema/work.ts'
import type { Keyring } from '../secrets/keyring.ts'

/** No limit lasts longer. */
const LONGEST_MS = 8 * DAY_MS

export type Limiters = {
  /** Scale 0: nothing is counted. */
  areOff: boolean
  /** The subject of a count, in the form in which it may be stored. */
  key(text: string): string
  /** Allows `points` in `seconds`, counted by this process alone. */
  here(name: string, points: number, seconds: number): RateLimiterAbstract
  /** The same over all processes of one PostgreSQL. The embedded database has only one. */
  overAll(name: string, points: number, seconds: number): RateLimiterAbstract
  /** Deletes counts whose time is over. */
  prune(): Promise<void>
}

export function createLimiters({
  config,
  database,
  keyring,
}: {
  config: Config
  database: Database
  keyring: Keyring
}): Limiters {
  const { rateLimitScale: scale } = config
  const options = (name: string, points: number, seconds: number) => ({
    keyPrefix: name,
    points: Math.max(1, Math.round(points * (scale || 1))),
    duration: seconds,
  })
  const here: Limiters['here'] = (...limit) => new RateLimiterMemory(options(...limit))

  return {
    areOff: scale === 0,
    key: (text) => keyring.digest('limits', text),
    here,
    overAll(...limit) {
      if (database.kind === 'embedded') return here(...limit)
      const own = options(...limit)
      return new RateLimiterPostgres({
        ...own,
        storeClient: { query: ask },
        storeType: 'client',
        tableName: 'limits',
        tableCreated: true,
        clearExpiredByTimeout: false,
        // A visitor over the limit costs no query until the time is up.
        inMemoryBlockOnConsumed: own.points,
      })
    },
    async prune() {
      // Longer than any limit lasts: counted while the clock was ahead.
      const impossible = gt(limits.expire, Date.now() + LONGEST_MS)
      await database.db.delete(limits).where(or(lt(limits.expire, Date.now()), impossible))
    },
  }

  function ask({ text, values }: { text: string; values: unknown[] }) {
    return database.queue.executeSql(text, values)
  }
}

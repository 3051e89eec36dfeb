import { asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { instanceRows, type JoinedInstance } from './instance-rows.ts'

/** Beyond this many changed rows it is faster to read all. */
const FEW = 500

/** All instances, for an admin. */
export type InstanceList = () => Promise<readonly JoinedInstance[]>

/**
 * Reading ten thousand rows takes longer than everything else needed to show them, and hardly any
 * of them changes between two reads. So they are cached, and only rows with a new version are read
 * again. The version is the database's own (the transaction that wrote the row, and those that
 * wrote its token and its owner), so no writer can forget it, in any process. If the sum of all
 * versions is the same, not even the versions are read.
 */
export function instanceList(db: Db): InstanceList {
  let kept = new Map<number, Kept>()
  let list: { sum: string; rows: readonly JoinedInstance[] } | undefined

  return async () => {
    // Read before the versions: a write in between makes the next call read again.
    const sum = await sumOf(db)
    if (list?.sum === sum) return list.rows
    const versions = await versionsOf(db)
    const before = kept
    const isKept = ({ id, version }: Version) => before.get(id)?.version === version
    const changed = versions.filter((one) => !isKept(one)).map(({ id }) => id)
    const news = await rowsOf(db, changed)
    const next = new Map<number, Kept>()
    for (const one of versions) {
      // A row that is newer than its version by now is read again the next time.
      const row = isKept(one) ? before.get(one.id)?.row : news.get(one.id)
      if (row) next.set(one.id, { version: one.version, row })
    }
    kept = next
    list = { sum, rows: Array.from(next.values(), ({ row }) => row) }
    return list.rows
  }
}

type Version = { id: number; version: string }
type Kept = { version: string; row: JoinedInstance }

const version = sql<string>`concat(${instances}.xmin, ' ', ${tokens}.xmin, ' ', ${users}.xmin)`

/** One short answer about all rows: their count, and their versions in one number. */
async function sumOf(db: Db): Promise<string> {
  const hash = sql`hashtextextended(concat(${instances.id}, ' ', ${version}), 0)`
  const [row] = await db
    .select({ sum: sql<string>`concat(count(*), ' ', sum(${hash}))` })
    .from(instances)
    .leftJoin(tokens, eq(tokens.id, instances.tokenId))
    .leftJoin(users, eq(users.id, instances.ownerId))
  return row?.sum ?? ''
}

/** Unmapped: two plain fields per row, and thousands of rows. */
async function versionsOf(db: Db): Promise<Version[]> {
  const query = db
    .select({ id: instances.id, version: version.as('version') })
    .from(instances)
    .leftJoin(tokens, eq(tokens.id, instances.tokenId))
    .leftJoin(users, eq(users.id, instances.ownerId))
    .orderBy(asc(instances.id))
  return ((await db.execute(query)) as unknown as { rows: Version[] }).rows
}

async function rowsOf(db: Db, ids: number[]): Promise<Map<number, JoinedInstance>> {
  if (ids.length === 0) return new Map()
  const rows = await instanceRows(db, ids.length > FEW ? undefined : inArray(instances.id, ids))
  return new Map(rows.map((row) => [row.id, row]))
}

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { sealOf } from '../../src/server/audit/audit-log.ts'
import { verifyAudit } from '../../src/server/audit/verify-audit.ts'
import { readBackup, writeBackup } from '../../src/server/backup/backup.ts'
import { rowsOf } from '../../src/server/db/catalog.ts'
import type { Db } from '../../src/server/db/database.ts'
import { auditLog, users } from '../../src/server/db/schema/accounts.ts'
import { orders } from '../../src/server/db/schema/sales.ts'
import { tokens } from '../../src/server/db/schema/stock.ts'
import { actorOf, byHand } from '../../src/server/provisioning/testing/by-hand.ts'
import { openShop } from '../../src/server/provisioning/testing/shop.ts'
import { PASSWORD } from '../../src/server/testing/factories.ts'
import { tempFolder } from '../../src/server/testing/temp-folder.ts'
import { testApp } from '../../src/server/testing/test-app.ts'
import { BOTH_DATABASES } from '../../src/server/testing/test-db.ts'

const SECRET = 'a key for tests, long enough to be one'
/** Numbers that occur nowhere else, so that any trace of them is found as text. */
let nextId = 77_000_100

/** Every row of every table of every schema, as text. */
async function dump(db: Db): Promise<string[]> {
  const tables = await rowsOf<{ name: string }>(
    db,
    sql`select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const rows = []
  for (const { name } of tables) {
    const found = await rowsOf<{ row: string }>(
      db,
      sql.raw(`select row_to_json(t)::text as row from ${name} t`),
    )
    rows.push(...found.map(({ row }) => `${name} ${row}`))
  }
  return rows
}

describe.each(BOTH_DATABASES)('a deleted account on %s', async (database) => {
  const lines: string[] = []
  const t = await testApp({
    database,
    sim: true,
    env: { LOG_LEVEL: 'trace' },
    logTo: { write: (line) => void lines.push(line) },
  })
  const shop = await openShop(t)
  const hand = byHand(t)

  const customer = async () => {
    nextId += 1
    await t.db.execute(sql`select setval('users_id_seq', ${nextId}::bigint)`)
    const client = await t.make.client({
      email: `zoe-${nextId}@example.test`,
      firstName: `Zoe${nextId}`,
      stripeCustomerId: `cus_${nextId}`,
    })
    // The next account gets another number.
    await t.db.execute(sql`select setval('users_id_seq', 5000000)`)
    await t.db.execute(
      sql`select setval('users_id_seq', (select max(id) from users where id < 77000000))`,
    )
    const login = await t.visitor.attempt(api.auth.login, {
      body: { username: client.username, password: PASSWORD },
    })
    const cookie = login.cookie ?? ''
    await t.visitor.attempt(api.auth.login, { body: { username: client.username, password: 'x' } })
    const made = await shop.token()
    const { jobId, order } = await hand.sales.claim(actorOf(client), made.tokenId, 'purchase')
    await hand.runToEnd(jobId)
    await shop.admin.call(api.simulation.start, { params: { userId: client.id } })
    const other = await shop.token()
    await shop.admin.attempt(api.users.update, {
      params: { id: client.id },
      body: { firstName: `Zoe${nextId}` },
    })
    return { client, cookie, me: t.with(cookie), token: made, order, other }
  }

  const traces = ({ client, cookie }: Awaited<ReturnType<typeof customer>>) => ({
    number: String(client.id),
    username: client.username,
    email: client.email ?? '',
    'first name': client.firstName ?? '',
    'customer at the provider': client.stripeCustomerId ?? '',
    'key of its seals': client.auditKey,
    session: createHash('sha256').update(cookie).digest('hex'),
  })
  const found = (places: string[], wanted: Record<string, string>) =>
    places.flatMap((place) =>
      Object.entries(wanted)
        .filter(([, value]) => place.includes(value))
        .map(([name]) => `${name}: ${place.slice(0, 160)}`),
    )

  test('leaves no path to its servers and orders: not in the database, the logs or a backup', async () => {
    const person = await customer()
    const { client, me, token, order } = person
    const wanted = traces(person)
    expect(Object.values(wanted).every((value) => value.length > 5)).toBe(true)
    expect(found(await dump(t.db), { number: wanted.number }).length).toBeGreaterThan(8)

    const gone = await me.attempt(api.account.remove, {
      body: { password: PASSWORD, confirm: client.username },
    })
    expect(gone.status).toBe(204)
    expect((await me.attempt(api.auth.me)).status).toBe(401)
    await hand.sweep()
    await hand.runAll()

    // The only rows left: the bare number that is never reused, and the event for open pages.
    const left = found(await dump(t.db), wanted).filter(
      (row) =>
        !/^username: public\.usernames /.test(row) &&
        !/^number: public\.events .*"signed-out"/.test(row),
    )
    expect(left).toEqual([])
    expect(found(lines, wanted)).toEqual([])
    const file = join(tempFolder('unlinked'), 'after.backup')
    await writeBackup(t.database, SECRET, file)
    const copied: string[] = []
    await readBackup(file, [SECRET], async (_header, rows) => {
      for await (const row of rows) copied.push(row)
    })
    expect(copied.length).toBeGreaterThan(50)
    const inBackup = found(copied, wanted)
    expect(inBackup).toHaveLength(1)
    expect(inBackup[0]).toContain('"username"')

    // The purchase still exists, ended and without an owner; the ledger and the log are intact.
    expect(await shop.tokenRow(token.id)).toMatchObject({
      status: 'cancelled',
      assignedUserId: null,
    })
    expect(await shop.orderRow(order.id)).toMatchObject({ userId: null })
    const [vm] = await shop.instancesOf(token.id)
    expect(t.sim.state.vms.get(vm?.vmId ?? 0)?.qmp).toBe('stopped')
    const verdict = await verifyAudit(t.db)
    expect(verdict.brokenAt).toBeUndefined()
    expect(verdict.unlinked).toBeGreaterThan(3)
  })

  test('is sealed in the log so that only its own key could reveal its entries', async () => {
    const { client, me } = await customer()
    const before = await t.db.select().from(auditLog).where(eq(auditLog.actorId, client.id))
    expect(before.length).toBeGreaterThan(1)
    await me.call(api.account.remove, { body: { password: PASSWORD, confirm: client.username } })
    const rows = await t.db.select().from(auditLog)
    const after = rows.filter((row) => before.some(({ id }) => id === row.id))
    expect(after.every((row) => row.actorId === null && row.actorSeal !== null)).toBe(true)
    expect(new Set(after.map((row) => row.actorSeal)).size).toBe(after.length)
    for (const row of after) {
      expect(row.actorSeal).toBe(sealOf(client.auditKey, row.previousHash, client.id))
    }
  })

  test('has the same effect when an administrator deletes it', async () => {
    const person = await customer()
    const { client } = person
    await shop.admin.call(api.users.remove, { params: { id: client.id } })
    const left = found(await dump(t.db), traces(person)).filter(
      (row) => !/^username: public\.usernames |^number: public\.events /.test(row),
    )
    expect(left).toEqual([])
    expect(found(lines, traces(person))).toEqual([])
    expect((await verifyAudit(t.db)).brokenAt).toBeUndefined()
  })

  test('in the middle of a purchase: the server is undone and nothing names the account', async () => {
    const person = await customer()
    const made = await shop.token()
    const { jobId } = await hand.sales.claim(actorOf(person.client), made.tokenId, 'purchase')
    await person.me.call(api.account.remove, {
      body: { password: PASSWORD, confirm: person.client.username, giveUpMoney: true },
    })
    await hand.runToEnd(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    const [order] = await t.db.select().from(orders).where(eq(orders.jobId, jobId))
    expect(order).toMatchObject({ status: 'cancelled', userId: null })
    expect(await shop.instancesOf(made.id)).toEqual([])
    const left = found(await dump(t.db), traces(person)).filter(
      (row) => !/^username: public\.usernames |^number: public\.events .*"signed-out"/.test(row),
    )
    expect(left).toEqual([])
  })

  test('returns unpaid stock to the shop', async () => {
    const { client, me } = await customer()
    const made = await shop.token()
    const now = new Date()
    await t.db
      .update(tokens)
      .set({ status: 'pending', assignedUserId: client.id })
      .where(eq(tokens.id, made.id))
    await t.db.insert(orders).values({
      userId: client.id,
      kind: 'purchase',
      planName: 'x',
      amountCents: 500,
      tokenId: made.id,
      payBy: now,
    })
    const body = { password: PASSWORD, confirm: client.username }
    expect(await me.attempt(api.account.remove, { body })).toMatchObject({
      status: 409,
      body: { code: 'INVALID_STATE' },
    })
    expect(await t.db.$count(users, eq(users.id, client.id))).toBe(1)
    await me.call(api.account.remove, { body: { ...body, giveUpMoney: true } })
    expect(await shop.tokenRow(made.id)).toMatchObject({
      status: 'available',
      assignedUserId: null,
    })
  })

  test('the name of an administrator cannot be removed from the log', async () => {
    const [entry] = await t.db.select().from(auditLog).where(sql`actor_id is not null`).limit(1)
    await expect(
      t.db.execute(sql`update audit_log set actor_id = null where id = ${entry?.id ?? 0}`),
    ).rejects.toMatchObject({ cause: { message: 'the audit log is append-only' } })
    await t.db.execute(sql`alter table audit_log disable trigger user`)
    await t.db.execute(sql`update audit_log set actor_id = null where id = ${entry?.id ?? 0}`)
    await t.db.execute(sql`alter table audit_log enable trigger user`)
    expect((await verifyAudit(t.db)).brokenAt).toBe(entry?.id)
  })
})

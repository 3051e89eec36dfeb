import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { count, eq, sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { verifyAudit } from '../../src/server/audit/verify-audit.ts'
import { verifyBackup } from '../../src/server/backup/backup.ts'
import { usingDatabase } from '../../src/server/commands/with-database.ts'
import { rowsOf } from '../../src/server/db/catalog.ts'
import type { Db } from '../../src/server/db/database.ts'
import { auditLog, usernames, users } from '../../src/server/db/schema/accounts.ts'
import { createKeyring } from '../../src/server/secrets/keyring.ts'
import { requireReadable } from '../../src/server/secrets/sealed-columns.ts'
import {
  removeFolder,
  runCommand,
  type ServerProcess,
  signIn,
  startProcess,
} from '../../src/server/testing/server-process.ts'
import { tempFolder } from '../../src/server/testing/temp-folder.ts'
import { testPostgresUrl } from '../../src/server/testing/test-db.ts'

const SECRET_KEY = 'a key for the drill, long enough for it'
const KEEP = tempFolder('drill')
/** R10 requires 10 000 tokens; the short run shows the same with fewer. */
const TOKENS = process.env.LONG === '1' ? 10_000 : 300
const WRITERS = 4

type Env = Record<string, string>

/** Creates users until stopped: each is a row in three tables, in one transaction. */
function writeSteadily(server: ServerProcess) {
  const state = { made: 0, isOver: false }
  const writer = async (n: number) => {
    const call = await signIn(server.url)
    for (let i = 0; !state.isOver; i += 1) {
      const body = JSON.stringify({ email: `w${n}-${i}@example.test` })
      const reply = await call('/api/users', { method: 'POST', body })
      if (reply.status === 201) state.made += 1
    }
  }
  const done = Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n)))
  return {
    state,
    async stop() {
      state.isOver = true
      await done
    },
  }
}

async function makeTokens(db: Db): Promise<void> {
  const sealed = createKeyring(SECRET_KEY)
  const values = Array.from({ length: TOKENS }, (_, n) => ({
    token_id: `drill-${n}`,
    name: `Token ${n}`,
    username: 'root',
    password: sealed.seal({ table: 'tokens', column: 'password', row: `drill-${n}` }, 'secret'),
    os_type: 'Debian 12',
    status: 'available',
  }))
  await db.execute(sql`
    insert into tokens (token_id, name, username, password, os_type, status)
    select token_id, name, username, password, os_type, status
    from json_populate_recordset(null::tokens, ${JSON.stringify(values)}::json)`)
}

/** What holds in every consistent state of the product, and in no mixture of two. */
async function requireOneMoment(db: Db): Promise<void> {
  const [people] = await db.select({ of: count() }).from(users)
  const [names] = await db.select({ of: count() }).from(usernames)
  const [made] = await db
    .select({ of: count() })
    .from(auditLog)
    .where(eq(auditLog.action, 'user.create'))
  expect(names?.of).toBe(people?.of)
  expect(made?.of).toBe((people?.of ?? 0) - 1)
  expect((await verifyAudit(db)).brokenAt).toBeUndefined()
  await requireReadable(db, createKeyring(SECRET_KEY))
}

async function countsOf(db: Db, tables: string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const rows = await rowsOf<{ of: number }>(
      db,
      sql`select count(*)::int as of from ${sql.identifier(table)}`,
    )
    counts[table] = rows[0]?.of ?? 0
  }
  return counts
}

async function wipePostgres(url: string): Promise<void> {
  await usingDatabase({ databaseUrl: url, dataDir: '' }, async ({ db }) => {
    await db.execute(sql`drop schema public cascade`)
    await db.execute(sql`drop schema if exists pgboss cascade`)
    await db.execute(sql`create schema public`)
  })
}

const refusal = (sentence: RegExp) => ({ code: 1, output: expect.stringMatching(sentence) })

const databases: [string, () => Promise<Env>][] = [
  ['embedded', async () => ({ SECRET_KEY })],
  ['postgres', async () => ({ SECRET_KEY, DATABASE_URL: await testPostgresUrl() })],
]

describe.each(databases)('the drill on %s', async (kind, environment) => {
  const env = await environment()
  const file = join(KEEP, `${kind}.backup`)
  const first = await startProcess({ ...env, DEMO: '1' })
  const config = { databaseUrl: env.DATABASE_URL, dataDir: first.dataDir }
  const here = { ...env, DATA_DIR: first.dataDir }

  test('a backup under load, wiped and restored, is identical, and people can sign in', async () => {
    const writing = writeSteadily(first)
    await vi.waitFor(() => expect(writing.state.made).toBeGreaterThan(20), { timeout: 60_000 })
    const madeBefore = writing.state.made
    const taken = await runCommand('backup', [file], here)
    expect(taken.output).toContain('Proven by restoring it into a scratch database')
    expect(taken.code).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const madeAfter = writing.state.made
    await writing.stop()
    expect(madeAfter).toBeGreaterThan(madeBefore)
    const beside = await runCommand('restore', [file, '--force'], here)
    expect(beside).toEqual(refusal(/Hushbox.*Stop (it|every process of it) first/))
    expect(await first.stop()).toBe(0)

    const { counts } = await verifyBackup(file, [SECRET_KEY])
    expect(counts.users).toBeGreaterThanOrEqual(madeBefore)
    if (env.DATABASE_URL) await wipePostgres(env.DATABASE_URL)
    else removeFolder(first.dataDir)
    const wrong = await runCommand('restore', [file], {
      ...here,
      SECRET_KEY: 'quite another key, also long enough',
    })
    expect(wrong).toEqual(refusal(/made with another SECRET_KEY/))
    const restored = await runCommand('restore', [file], here)
    expect(restored.output).toMatch(/Restored \d+ rows[\s\S]*The audit log is whole/)
    await usingDatabase(config, async ({ db }) => {
      expect(await countsOf(db, Object.keys(counts))).toEqual(counts)
      await requireOneMoment(db)
    })

    const again = await startProcess({ ...env, DEMO: '1' }, first.dataDir)
    const call = await signIn(again.url)
    expect((await call('/api/auth/me')).status).toBe(200)
    const body = JSON.stringify({ email: 'after@example.test' })
    expect((await call('/api/users', { method: 'POST', body })).status).toBe(201)
    await vi.waitFor(async () => expect((await fetch(`${again.url}/readyz`)).status).toBe(200))
    expect(await again.stop()).toBe(0)
  })

  test(`with the server stopped ${TOKENS} tokens are backed up under a generated name, and restored`, async () => {
    await usingDatabase(config, ({ db }) => makeTokens(db))
    expect((await runCommand('backup', [], here)).code).toBe(0)
    const folder = join(first.dataDir, 'backups')
    const [name] = readdirSync(folder)
    const saved = join(folder, name ?? '')
    expect((await verifyBackup(saved, [SECRET_KEY])).counts.tokens).toBeGreaterThanOrEqual(TOKENS)
    const refused = await runCommand('restore', [saved], here)
    expect(refused).toEqual(refusal(/not empty\. Add --force/))
    const restored = await runCommand('restore', [saved, '--force'], here)
    expect(restored).toMatchObject({ code: 0 })
  })
})

test('one command moves everything from the embedded database to PostgreSQL', async () => {
  const server = await startProcess({ DEMO: '0', SECRET_KEY: '' })
  const call = await signIn(server.url)
  const device = { agreedToTerms: true, deviceMacAddress: '02:00:00:aa:bb:cc' }
  const body = JSON.stringify(device)
  expect((await call('/api/auth/register', { method: 'POST', body })).status).toBe(201)
  const env = { DATA_DIR: server.dataDir, DATABASE_URL: await testPostgresUrl() }
  const key = { SECRET_KEY_FILE: join(server.dataDir, 'secret.key') }
  const beside = await runCommand('db-move', [], { ...env, ...key })
  expect(beside).toEqual(refusal(/Another Hushbox process is using/))
  await server.stop()

  const wrong = await runCommand('db-move', [], { ...env, SECRET_KEY })
  expect(wrong).toEqual(refusal(/does not open the secrets.*SECRET_KEY_FILE=/))
  const moved = await runCommand('db-move', [], { ...env, ...key })
  expect(moved.output).toMatch(/Moved \d+ rows to PostgreSQL/)
  const twice = await runCommand('db-move', [], { ...env, ...key })
  expect(twice).toEqual(refusal(/not empty/))

  const there = await startProcess({ ...key, DATABASE_URL: env.DATABASE_URL })
  const callThere = await signIn(there.url)
  // The pepper of the device hashes was restored, sealed: the device is still known.
  const again = await callThere('/api/auth/register', { method: 'POST', body })
  expect(((await again.json()) as { code: string }).code).toBe('DEVICE_ALREADY_REGISTERED')
  expect(await there.stop()).toBe(0)
  removeFolder(server.dataDir)
})

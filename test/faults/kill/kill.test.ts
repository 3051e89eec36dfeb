import { count, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { verifyAudit } from '../../../src/server/audit/verify-audit.ts'
import { openDatabase } from '../../../src/server/db/connect/open.ts'
import { auditLog } from '../../../src/server/db/schema/accounts.ts'
import {
  ADMIN,
  removeFolder,
  type ServerProcess,
  signIn,
  startProcess,
} from '../../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../../src/server/testing/test-db.ts'

const WRITES = 1000
const AT_ONCE = 8
const SECRET_KEY = 'a key for the kill test, long enough'

type Env = Record<string, string>

const databases: [string, () => Promise<Env>][] = [
  ['embedded', async () => ({})],
  ['postgres', async () => ({ DATABASE_URL: await testPostgresUrl(), SECRET_KEY })],
]

/** Writes from several callers at once until the server dies; counts the acknowledged writes. */
async function writeUntilDeath(server: ServerProcess): Promise<number> {
  const call = await signIn(server.url)
  const users = (await (await call('/api/admin/users')).json()) as { id: number }[]
  const id = users[0]?.id
  let acknowledged = 0
  let isDead = false
  const writer = async () => {
    for (let n = 0; !isDead; n += 1) {
      try {
        const body = JSON.stringify({ firstName: `Name ${n}` })
        const reply = await call(`/api/admin/users/${id}`, { method: 'PATCH', body })
        if (reply.ok) acknowledged += 1
      } catch {
        isDead = true
      }
      // In the middle of it: the other writers have a request under way.
      if (acknowledged >= WRITES && !isDead) {
        isDead = true
        await server.kill()
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, writer))
  return acknowledged
}

describe.each(databases)('kill -9 in the middle of writes, %s', (_kind, environment) => {
  test('loses no acknowledged write, and starts again', async () => {
    const env = await environment()
    const server = await startProcess(env)
    const acknowledged = await writeUntilDeath(server)
    expect(acknowledged).toBeGreaterThanOrEqual(WRITES)

    const again = await startProcess(env, server.dataDir)
    const call = await signIn(again.url)
    expect((await call('/api/auth/me')).status).toBe(200)
    expect(await again.stop()).toBe(0)

    const database = await openDatabase(
      { databaseUrl: env.DATABASE_URL, dataDir: server.dataDir },
      () => undefined,
    )
    const [written] = await database.db
      .select({ of: count() })
      .from(auditLog)
      .where(eq(auditLog.action, 'user.update'))
    expect(written?.of).toBeGreaterThanOrEqual(acknowledged)
    expect(written?.of).toBeLessThanOrEqual(acknowledged + AT_ONCE)
    expect((await verifyAudit(database.db)).brokenAt).toBeUndefined()
    await database.close()
    removeFolder(server.dataDir)
  })
})

test('a second process on the same folder ends with a clear sentence', async () => {
  const server = await startProcess()
  await expect(startProcess({}, server.dataDir)).rejects.toThrow(
    /ended with 1:\nAnother Hushbox process is using .* Stop it first/,
  )
  await server.stop()
  removeFolder(server.dataDir)
})

test('an invalid configuration starts nothing and lists every error', async () => {
  const starting = startProcess({ PORT: 'x', GRACE_DAYS: 'y', ADMIN_PASSWORD: 'short' })
  await expect(starting).rejects.toThrow(
    /ended with 1:[\s\S]*PORT[\s\S]*ADMIN_PASSWORD[\s\S]*GRACE_DAYS/,
  )
})

test('the first start prints the generated password, a later one does not', async () => {
  const first = await startProcess({ ADMIN_PASSWORD: '' })
  const printed = /with the password\s+([0-9A-Z-]{31})/.exec(first.output())?.[1]
  expect(printed).toBeDefined()
  const login = await fetch(`${first.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: ADMIN.email, password: printed }),
  })
  expect(login.status).toBe(200)
  await first.stop()
  const second = await startProcess({ ADMIN_PASSWORD: '' }, first.dataDir)
  expect(second.output()).not.toContain('password')
  await second.stop()
  removeFolder(first.dataDir)
})

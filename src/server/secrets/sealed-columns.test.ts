import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { describe, expect, test } from 'vitest'
import type { JobState } from '#shared/api/overview/events.ts'
import { clusters } from '../db/schema/infrastructure.ts'
import { orders } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { jobSteps, jobs } from '../db/schema/work.ts'
import { schema } from '../db/schema.ts'
import { BOTH_DATABASES, testDb } from '../testing/test-db.ts'
import { createKeyring, type Keyring } from './keyring.ts'
import {
  clusterPassword,
  rotateSecrets,
  SEALED_COLUMNS,
  tokenPassword,
  userDataPlace,
} from './sealed-columns.ts'

const OLD = 'an old key that is long enough for it'
const PLACE = tokenPassword('t1')
const NEW = 'a new key that is also long enough for it'

test('every column whose name suggests a secret is sealed, a hash or a reference', () => {
  const sealed = SEALED_COLUMNS.map(({ table, name }) => `${getTableName(table)}.${name}`)
  const suspicious = Object.values(schema)
    .filter((table) => is(table, PgTable))
    .flatMap((table) =>
      Object.keys(getTableColumns(table)).map((column) => `${getTableName(table)}.${column}`),
    )
    .filter((name) => /password|secret|credential|apiKey/i.test(name) && !/(Hash|Id)$/.test(name))
  expect(suspicious.length).toBeGreaterThan(0)
  for (const name of suspicious) expect(sealed).toContain(name)
})

describe.each(BOTH_DATABASES)('rotation on %s', async (kind) => {
  const { db } = await testDb(kind)
  const old = createKeyring(OLD)

  test('seals every secret again with the new key, and a second run changes nothing', async () => {
    await db.insert(clusters).values({
      uid: 'c1',
      name: 'one',
      host: 'pve.example',
      username: 'root@pam',
      password: old.seal(clusterPassword('c1'), 'cluster secret'),
    })
    await db.insert(tokens).values({
      tokenId: 't1',
      name: 'token',
      username: 'root',
      password: old.seal(tokenPassword('t1'), 'vm secret'),
      osType: 'Debian 12',
    })
    const userData = { id: 'u1', sealed: old.seal(userDataPlace('u1'), 'a script') }
    await db
      .insert(orders)
      .values({ planName: 'plan', amountCents: 500, setup: { label: 'Mail', userData } })
    const both = createKeyring(NEW, OLD)
    expect(await rotateSecrets(db, both)).toEqual({ count: 3, jobsWithOld: 0 })
    expect(await rotateSecrets(db, both)).toEqual({ count: 0, jobsWithOld: 0 })
    const alone = createKeyring(NEW)
    const [cluster] = await db.select().from(clusters)
    const [token] = await db.select().from(tokens)
    expect(alone.open(clusterPassword('c1'), cluster?.password ?? '')).toBe('cluster secret')
    expect(alone.open(tokenPassword('t1'), token?.password ?? '')).toBe('vm secret')
    const [order] = await db.select().from(orders)
    expect(order?.setup?.label).toBe('Mail')
    expect(alone.open(userDataPlace('u1'), order?.setup?.userData?.sealed ?? '')).toBe('a script')
  })

  test('names the jobs under way that still need the old key', async () => {
    const both = createKeyring(NEW, OLD)
    const secret = (keyring: Keyring) => ({ login: { password: keyring.seal(PLACE, 'secret') } })
    const job = (id: string, state: JobState, keyring: Keyring) => ({
      ...{ id, kind: 'reinstall', title: id, state },
      input: secret(keyring),
    })
    await db
      .insert(jobs)
      .values([
        job('by its input', 'running', old),
        job('of the new key', 'running', both),
        job('ended', 'done', old),
        job('by a step', 'undoing', both),
      ])
    await db
      .insert(jobSteps)
      .values({ jobId: 'by a step', step: 'remember', state: 'done', output: secret(old) })
    expect(await rotateSecrets(db, both)).toEqual({ count: 0, jobsWithOld: 2 })
  })

  test('changes nothing if a key is missing', async () => {
    const before = await db.select().from(clusters)
    await expect(
      rotateSecrets(db, createKeyring('a third key, quite another one')),
    ).rejects.toThrow(/SECRET_KEY_PREVIOUS/)
    expect(await db.select().from(clusters)).toEqual(before)
  })
})

import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import type { ServerEvent } from '#shared/api/overview/events.ts'
import { openPostgres } from '../db/connect/postgres.ts'
import { BOTH_DATABASES, testDb, testPostgresUrl } from '../testing/test-db.ts'
import { createEventBus, type EventBus, type StoredEvent } from './event-bus.ts'

const log = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const changed = (...nouns: string[]): ServerEvent => ({ type: 'changed', nouns })

function collect(bus: EventBus, ...audiences: Parameters<EventBus['subscribe']>[0]) {
  const seen: StoredEvent[] = []
  const stop = bus.subscribe(audiences, (event) => seen.push(event))
  return { seen, stop }
}

describe.each(BOTH_DATABASES)('events on %s', async (kind) => {
  const database = await testDb(kind)
  const bus = await createEventBus(database, log)

  test('reach their audience once, in order', async () => {
    const mine = collect(bus, 'user:1', 'everyone')
    const other = collect(bus, 'user:2')
    for (let n = 0; n < 50; n += 1) await bus.emit(database.db, 'user:1', changed(`n${n}`))
    await bus.emit(database.db, 'everyone', changed('all'))
    await vi.waitFor(() => expect(mine.seen).toHaveLength(51))
    const nouns = mine.seen.map(({ body }) => (body.type === 'changed' ? body.nouns[0] : ''))
    expect(nouns.slice(0, 3)).toEqual(['n0', 'n1', 'n2'])
    expect(other.seen).toEqual([])
    mine.stop()
    other.stop()
  })

  test('of a transaction that fails are never sent', async () => {
    const { seen, stop } = collect(bus, 'user:1')
    const failing = database.db.transaction(async (tx) => {
      await bus.emit(tx, 'user:1', changed('lost'))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await bus.emit(database.db, 'user:1', changed('kept'))
    await vi.waitFor(() => expect(seen.map(({ body }) => body)).toEqual([changed('kept')]))
    stop()
  })

  test('can be requested again after the last one seen', async () => {
    const { seen, stop } = collect(bus, 'user:3')
    await bus.emit(database.db, 'user:3', changed('a'))
    await vi.waitFor(() => expect(seen).toHaveLength(1))
    stop()
    await bus.emit(database.db, 'user:3', changed('b'))
    const missed = await bus.since(['user:3'], seen[0]?.id ?? 0)
    expect(missed.map(({ body }) => body)).toContainEqual(changed('b'))
    expect(missed.every(({ audience }) => audience === 'user:3')).toBe(true)
  })

  test('of the last moments can be requested, but not older ones or those of others', async () => {
    await bus.emit(database.db, 'user:5', changed('long ago'))
    await database.db.execute(sql`update events set at = now() - interval '5 minutes'`)
    await bus.emit(database.db, 'user:5', changed('just now'))
    await bus.emit(database.db, 'user:6', changed('of another'))
    const told = await bus.lately(['user:5'], 2000)
    expect(told.map(({ body }) => body)).toEqual([changed('just now')])
  })

  test('are deleted after their time', async () => {
    await bus.emit(database.db, 'user:4', changed('old'))
    await bus.prune(new Date(Date.now() + 60_000))
    expect(await bus.since(['user:4'], 0)).toEqual([])
  })
})

test('an event caused in one process reaches the pages of another', async () => {
  const url = await testPostgresUrl()
  const open = () => openPostgres({ url, onError: () => undefined })
  const [here, there] = [await open(), await open()]
  const [from, to] = [await createEventBus(here, log), await createEventBus(there, log)]
  const { seen } = collect(to, 'admins')
  await from.emit(here.db, 'admins', changed('tokens'))
  await vi.waitFor(() => expect(seen.map(({ body }) => body)).toEqual([changed('tokens')]))
  for (const part of [from, to, here, there]) await part.close()
})

test('a lost connection is reopened, and no event meanwhile is missed', async () => {
  const url = await testPostgresUrl()
  const database = await openPostgres({ url, onError: () => undefined })
  const bus = await createEventBus(database, log)
  const { seen } = collect(bus, 'admins')
  await database.db.execute(
    sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'hushbox-listen' and datname = current_database()`,
  )
  await bus.emit(database.db, 'admins', changed('while away'))
  await vi.waitFor(() => expect(seen.map(({ body }) => body)).toEqual([changed('while away')]), {
    timeout: 20_000,
  })
  await bus.close()
  await database.close()
})

import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { startsOf } from '../../hypervisor/testing/starts-of.ts'
import { testApp } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { openBackups } from '../testing/backups.ts'
import { asBegins, broken, twice } from '../testing/by-hand.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

const STEPS = 'remember fit stop restore configure firewall rate start commit'.split(' ')

describe.each(BOTH_DATABASES)('a backup restored to another server, on %s', async (database) => {
  const t = await testApp({ sim: true, database })
  const { shop, hand, ...our } = await openBackups(t)

  const onDisk = (server: SoldServer) => our.vmOf(server).guest.os
  /** Everything by which one server could be taken for another. */
  const own = (server: SoldServer) => {
    const { name, cores, memory, net0, ipconfig0, description } = our.vmOf(server).config
    const firewall = structuredClone(t.sim.state.firewalls?.get(server.vmId))
    return { name, cores, memory, net0, ipconfig0, description, firewall }
  }
  const statuses = async (...servers: SoldServer[]) =>
    await Promise.all(servers.map(async (one) => (await our.row(one)).status))

  /** Two servers of one client; the first has a backup. */
  const pair = async () => {
    const source = await our.server()
    const target = await our.server(2, source.user)
    our.vmOf(source).guest.os = 'in the backup'
    const backup = await our.make(source)
    our.vmOf(source).guest.os = 'written since'
    our.vmOf(target).guest.os = 'of the other'
    return { source, target, backup }
  }
  type Pair = Awaited<ReturnType<typeof pair>>
  const ask = ({ source, target, backup }: Pair, wish: { confirm?: string; into?: number } = {}) =>
    our.askRestore(source.user, source, backup.id, {
      as: 'new',
      into: target.id,
      confirm: String(target.vmId),
      ...wish,
    })
  const begin = (both: Pair) => our.begin(ask(both))

  test('has the disk of the backup, and is otherwise the server that it was', async () => {
    const both = await pair()
    const { source, target, backup } = both
    const [present, others] = [own(target), own(source)]
    const jobId = await begin(both)
    expect(await statuses(source, target)).toEqual(['updating', 'updating'])
    const starts = startsOf(t.sim, target.vmId, () => own(target))
    await hand.runToEnd(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(starts).toEqual([present])
    expect([onDisk(target), onDisk(source)]).toEqual(['in the backup', 'written since'])
    expect([own(target), own(source)]).toEqual([present, others])
    const uuid = (server: SoldServer) => our.vmOf(server).config.smbios1
    expect(uuid(target)).not.toBe(uuid(source))
    const { stored, given, booted } = await our.logins(target)
    expect(given).toEqual(stored)
    expect(booted.password).toBe(stored.password)
    expect(await statuses(source, target)).toEqual(['running', 'running'])
    expect(await our.rows(source)).toMatchObject([{ id: backup.id, state: 'ready' }])
    expect(await our.rows(target)).toEqual([])
  })

  test('is the same with every step twice', async () => {
    const both = await pair()
    const present = own(both.target)
    const jobId = await begin(both)
    await hand.run(jobId, twice)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect([onDisk(both.target), own(both.target)]).toEqual(['in the backup', present])
    expect(await statuses(both.source, both.target)).toEqual(['running', 'running'])
  })

  test.each(STEPS)(
    'that fails for good after %s leaves two servers that are free',
    async (step) => {
      const both = await pair()
      const { source, target } = both
      const [present, others] = [own(target), own(source)]
      const jobId = await begin(both)
      await hand.run(jobId, broken(step))
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
      expect([own(target), own(source)]).toEqual([present, others])
      const isBack = STEPS.indexOf(step) >= STEPS.indexOf('restore')
      expect(onDisk(target)).toBe(isBack ? 'in the backup' : 'of the other')
      expect(onDisk(source)).toBe('written since')
      expect(await statuses(source, target)).toEqual(['running', 'running'])
    },
  )

  test('goes to a server of the same client only, and to another one', async () => {
    const both = await pair()
    const { source, target, backup } = both
    const stranger = await our.server()
    const into = stranger.id
    expect((await ask(both, { into, confirm: stranger.name })).status).toBe(404)
    const theirs = { as: 'new' as const, into, confirm: String(stranger.vmId) }
    expect((await our.askRestore(stranger.user, source, backup.id, theirs)).status).toBe(404)
    expect((await our.askRestore(stranger.user, stranger, backup.id, theirs)).status).not.toBe(202)
    const params = { id: source.id, backupId: backup.id }
    expect(await shop.admin.attempt(api.backups.restore, { params, body: theirs })).toMatchObject({
      status: 409,
      body: { message: 'Both servers must be of the same client.' },
    })
    expect((await ask(both, { into: source.id, confirm: source.name })).status).toBe(400)
    expect((await ask(both, { confirm: String(source.vmId) })).status).toBe(400)
    expect(await statuses(source, target, stranger)).toEqual(['running', 'running', 'running'])
    expect((await our.list(source)).others).toEqual([
      { id: target.id, label: expect.any(String), confirm: String(target.vmId) },
    ])
  })

  test('is neither shown nor begun for an API key that is bound to the first server', async () => {
    const { source, target, backup } = await pair()
    const wish = { name: 'Backups', scopes: ['servers:read', 'servers:rebuild'] as const }
    const { key } = await t.as(source.user).call(api.apiKeys.create, {
      body: { ...wish, scopes: [...wish.scopes], instanceIds: [source.id] },
    })
    const call = async (method: 'GET' | 'POST', path: string, body?: object) => {
      const url = `/api/instances/${source.id}/backups${path}`
      const headers = { authorization: `Bearer ${key}` }
      const reply = await t.app.inject({ method, url, headers, ...(body && { payload: body }) })
      return [reply.statusCode, reply.json()]
    }
    expect(await call('GET', '')).toEqual([200, expect.objectContaining({ others: [] })])
    const into = { as: 'new', into: target.id, confirm: String(target.vmId) }
    const missing = { code: 'NOT_FOUND', message: expect.any(String) }
    expect(await call('POST', `/${backup.id}/restore`, into)).toEqual([404, missing])
    expect(await statuses(source, target)).toEqual(['running', 'running'])
    expect(onDisk(target)).toBe('of the other')
  })

  test('says which of the two servers refuses', async () => {
    const both = await pair()
    await t.db.update(tokens).set({ status: 'expired' }).where(eq(tokens.id, both.target.tokenId))
    const message = /^The server that is to get the backup: This server has expired/
    expect(await ask(both)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(message) },
    })
  })

  test('is not begun if its disk is larger than that of the server', async () => {
    const both = await pair()
    const archive = t.sim.state.volumes.get(both.backup.volume ?? '')?.archive
    if (!archive) throw new Error('no archive')
    archive.config.scsi0 = (archive.config.scsi0 ?? '').replace(/size=\w+/, 'size=900G')
    const jobId = await begin(both)
    const starts = startsOf(t.sim, both.target.vmId, () => 'started')
    await hand.run(jobId)
    expect((await shop.jobRow(jobId)).failure?.publicMessage).toContain('Choose a larger server.')
    expect([starts, onDisk(both.target)]).toEqual([[], 'of the other'])
    expect(await statuses(both.source, both.target)).toEqual(['running', 'running'])
  })

  test('is not begun where the node of the server cannot read it', async () => {
    const both = await pair()
    const vm = our.vmOf(both.target)
    vm.node = vm.node === 'pve1' ? 'pve2' : 'pve1'
    const jobId = await begin(both)
    await hand.run(jobId)
    expect((await shop.jobRow(jobId)).failure?.publicMessage).toContain('cannot read this backup')
    expect(onDisk(both.target)).toBe('of the other')
  })

  test('is neither deleted nor replaced while it is read', async () => {
    const both = await pair()
    const { source, backup } = both
    const jobId = await begin(both)
    expect((await our.askDelete(source.user, source, backup.id)).status).toBe(409)
    expect((await ask(both)).status).toBe(409)
    await hand.runToEnd(jobId)
    expect((await our.askDelete(source.user, source, backup.id)).status).toBe(202)
  })

  test.each([
    ['was taken from the job', (): { lastUpdated: Date } => ({ lastUpdated: new Date(0) })],
    ['is another client’s by now', async () => ({ ownerId: (await t.make.client()).id })],
  ])('deletes nothing if its server %s', async (_, change) => {
    const both = await pair()
    const jobId = await begin(both)
    const values = await change()
    await hand.run(
      jobId,
      asBegins('restore', () =>
        t.db.update(instances).set(values).where(eq(instances.id, both.source.id)),
      ),
    )
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    expect([onDisk(both.target), our.vmOf(both.target).qmp]).toEqual(['of the other', 'running'])
  })

  test('brings the system of the backup, with the login of the server', async () => {
    const both = await pair()
    const { source, target } = both
    await t.db.update(tokens).set({ osType: 'Arch Linux' }).where(eq(tokens.id, target.tokenId))
    await hand.runToEnd(await begin(both))
    const [from, to] = [await shop.tokenRow(source.tokenId), await shop.tokenRow(target.tokenId)]
    expect(to.osType).toBe(from.osType)
    expect(to.password).not.toBe(from.password)
  })
})

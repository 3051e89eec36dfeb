import { desc, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { jobSteps, jobs } from '../../db/schema/work.ts'
import type { LogTarget } from '../../http/observe/logger.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { type Bend, twice } from '../testing/by-hand.ts'
import { openReinstalls, type SoldServer, UBUNTU } from '../testing/reinstalls.ts'

const SILENT = 'The new system did not answer within 10 minutes.'
const DEBIAN = 'Debian GNU/Linux 12'
const UBUNTU_NAME = 'Ubuntu 22.04.5 LTS'
const BACK =
  'The old system is back, with everything on it. Its login may again be the one on its page, and its host keys may be new.'

describe.each(BOTH_DATABASES)('a reinstallation on %s', async (database) => {
  const lines: string[] = []
  const logTo: LogTarget = { write: (line: string) => void lines.push(line) }
  const clock = testClock()
  const env = { LOG_LEVEL: 'trace' }
  const t = await testApp({ sim: true, database, clock, logTo, env })
  const { shop, hand, ...our } = await openReinstalls(t)
  const template = t.sim.state.vms.get(UBUNTU.vmId)
  const { ed25519 } = PUBLIC_KEYS

  beforeEach(() => {
    if (template) template.guest.agent = 'alive'
  })

  const begin = async (server: SoldServer, body?: { osType?: string; sshKeyIds?: number[] }) => {
    const { status, body: answer } = await our.ask(server.user, server, body)
    expect(status).toBe(202)
    return answer.jobId
  }
  const page = ({ id, user }: SoldServer) => t.as(user).call(api.servers.get, { params: { id } })
  const actsOn = async ({ id }: SoldServer) => {
    const rows = await t.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.target, `instance:${id}`))
      .orderBy(desc(auditLog.id))
    return rows.map(({ action, details, actorId }) => ({ action, details, actorId }))
  }

  /** The old system runs as before, with its login and one disk. */
  const expectOld = async (server: SoldServer, before: Awaited<ReturnType<typeof our.logins>>) => {
    const now = await our.logins(server)
    expect(now.stored).toEqual(before.stored)
    expect(now.given).toEqual(before.given)
    expect(now.booted).toEqual({ user: before.stored.user, password: before.stored.password })
    expect(our.vmOf(server)).toMatchObject({ qmp: 'running', guest: { os: DEBIAN } })
    expect(our.disks(server)).toHaveLength(1)
    expect(t.sim.state.orphans()).toEqual([])
    expect(await our.row(server)).toMatchObject({ status: 'running' })
    expect(await shop.tokenRow(server.tokenId)).toMatchObject({
      osType: 'Debian 12',
      templateId: shop.template.id,
    })
  }

  test('replaces the system and keeps the machine', async () => {
    const server = await our.server()
    const before = await our.logins(server)
    const identity = our.identity(server)
    const jobId = await begin(server)
    expect(await page(server)).toMatchObject({
      status: 'reinstalling',
      jobs: [{ id: jobId, kind: 'reinstall', state: 'queued' }],
      can: { stop: { allowed: false }, reinstall: { why: 'The server is being reinstalled.' } },
    })
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(our.identity(server)).toEqual(identity)
    expect(our.vmOf(server)).toMatchObject({ qmp: 'running', guest: { os: UBUNTU_NAME } })
    expect(our.vmOf(server).config.scsi0).toContain('size=20G')
    expect(our.disks(server)).toHaveLength(1)
    expect(t.sim.state.orphans()).toEqual([])
    const { stored, given, booted } = await our.logins(server)
    expect(given).toEqual(stored)
    expect(booted).toEqual({ user: 'ubuntu', password: stored.password })
    expect(stored.password).not.toBe(before.stored.password)
    expect(stored.password).not.toBe('')
    expect(await page(server)).toMatchObject({
      status: 'running',
      osType: 'Ubuntu 22.04',
      username: 'ubuntu',
      jobs: [],
    })
    expect((await our.row(server)).templateId).not.toBe(shop.template.id)
    expect((await actsOn(server)).slice(0, 2)).toEqual([
      { action: 'instance.reinstalled', details: { osType: 'Ubuntu 22.04' }, actorId: null },
      {
        action: 'instance.reinstall',
        details: { osType: 'Ubuntu 22.04' },
        actorId: server.user.id,
      },
    ])
  })

  test('with keys leaves no password anywhere, and without them has one again', async () => {
    const server = await our.server()
    const key = await our.key(server.user, ed25519.publicKey)
    await hand.run(await begin(server, { sshKeyIds: [key.id] }))
    const withKeys = await our.logins(server)
    expect(withKeys.stored).toEqual({ user: 'ubuntu', password: '', keys: key.publicKey })
    expect(withKeys.given).toEqual(withKeys.stored)
    expect(our.vmOf(server).config.cipassword).toBeUndefined()
    expect(await page(server)).toMatchObject({ hasPassword: false, sshKeys: [{ name: 'laptop' }] })
    await hand.run(await begin(server, { osType: 'Debian 12' }))
    const without = await our.logins(server)
    expect(without.stored).toMatchObject({ user: 'debian', keys: '' })
    expect(without.given).toEqual(without.stored)
    expect(our.vmOf(server).guest.os).toBe(DEBIAN)
  })

  test('with the same system keeps the user that it was sold with', async () => {
    const server = await our.server()
    const before = await our.logins(server)
    await hand.run(await begin(server, { osType: 'Debian 12' }))
    const { stored, given } = await our.logins(server)
    expect(given).toEqual(stored)
    expect(stored.user).toBe('root')
    expect(stored.password).not.toBe(before.stored.password)
  })

  test('can be repeated in every step, forwards and backwards', async () => {
    const server = await our.server()
    const identity = our.identity(server)
    await hand.run(await begin(server), twice)
    const after = await our.logins(server)
    expect(after.given).toEqual(after.stored)
    expect(our.disks(server)).toHaveLength(1)
    expect(our.identity(server)).toEqual(identity)
    const second = await begin(server, { osType: 'Debian 12' })
    const failing: Bend = (steps) =>
      twice(steps, 'reinstall').map((step) =>
        step.name === 'commit' ? { ...step, run: () => Promise.reject(broken()) } : step,
      )
    await hand.run(second, failing)
    expect(await shop.jobRow(second)).toMatchObject({ state: 'failed' })
    const again = await our.logins(server)
    expect([again.stored, again.given]).toEqual([after.stored, after.stored])
    expect(our.disks(server)).toHaveLength(1)
    expect(our.vmOf(server)).toMatchObject({ qmp: 'running', guest: { os: UBUNTU_NAME } })
  })

  test('of a system that never answers brings the old one back with its login', async () => {
    const server = await our.server()
    const before = await our.logins(server)
    if (template) template.guest.agent = 'none'
    const jobId = await begin(server)
    const late: Bend = (steps) =>
      steps.map((step) =>
        step.name === 'proof'
          ? {
              ...step,
              run: (context) => {
                clock.advance(10 * MINUTE_MS)
                const progress = async () => clock.advance(MINUTE_MS)
                return step.run(Object.assign({}, context, { progress }))
              },
            }
          : step,
      )
    await hand.run(jobId, late)
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'failed',
      failure: { code: 'INVALID_STATE', message: SILENT, publicMessage: `${SILENT} ${BACK}` },
    })
    await expectOld(server, before)
    const told = await t.as(server.user).call(api.jobs.list)
    expect(told).toMatchObject([{ id: jobId, error: `${SILENT} ${BACK}` }])
    expect((await actsOn(server))[0]).toMatchObject({ action: 'instance.reinstall-undone' })
  })

  test.each(['claim', 'remember', 'stop', 'replace', 'configure', 'start', 'proof', 'commit'])(
    'that fails for good in %s leaves the old system running',
    async (name) => {
      const server = await our.server()
      const before = await our.logins(server)
      const jobId = await begin(server)
      const breaking: Bend = (steps) =>
        steps.map((step) =>
          step.name === name
            ? {
                ...step,
                run: async (context) => {
                  await step.run(context)
                  throw broken()
                },
              }
            : step,
        )
      await hand.run(jobId, name === 'commit' ? instead('commit') : breaking)
      expect(await shop.jobRow(jobId)).toMatchObject({
        state: 'failed',
        failure: { publicMessage: `The new system could not be installed. ${BACK}` },
      })
      await expectOld(server, before)
    },
  )

  test('tells an operator who tries again that it is over, and touches nothing', async () => {
    const server = await our.server()
    const before = await our.logins(server)
    const jobId = await begin(server)
    await hand.run(jobId, instead('replace'))
    expect(await hand.retry(jobId)).toBe(true)
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'failed',
      failure: { message: 'This reinstallation is over. Begin another one.' },
    })
    await expectOld(server, before)
    // Nor while another one runs.
    clock.advance(1)
    const next = await begin(server)
    await hand.retry(jobId)
    await hand.run(jobId)
    expect((await our.row(server)).status).toBe('reinstalling')
    await hand.run(next)
    expect(await shop.jobRow(next)).toMatchObject({ state: 'done' })
  })

  test('waits for a cluster that is away', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    t.sim.faults.add({ kind: '595', path: `/qemu/${server.vmId}/`, count: 3 })
    await hand.runToEnd(jobId)
    t.sim.faults.clear()
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(our.disks(server)).toHaveLength(1)
  })

  test('without its template is undone', async () => {
    const server = await our.server()
    const before = await our.logins(server)
    const jobId = await begin(server)
    if (template) t.sim.state.vms.delete(template.vmid)
    await hand.run(jobId)
    if (template) t.sim.state.vms.set(template.vmid, template)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    await expectOld(server, before)
  })

  test('of a VM that is gone ends, and the server is shown as missing', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    t.sim.state.vms.delete(server.vmId)
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    expect((await our.row(server)).status).toBe('unknown')
  })

  test('keeps every password sealed: in jobs, their steps and the log', async () => {
    const server = await our.server()
    const old = await our.logins(server)
    await hand.run(await begin(server))
    const { stored } = await our.logins(server)
    const failed = await begin(server, { osType: 'Debian 12' })
    await hand.run(failed, instead('proof'))
    const rows = JSON.stringify([
      await t.db.select().from(jobs),
      await t.db.select().from(jobSteps),
    ])
    expect(lines.length).toBeGreaterThan(0)
    for (const text of [rows, lines.join('\n')]) {
      expect(text).not.toContain(old.stored.password)
      expect(text).not.toContain(stored.password)
    }
    // Not even sealed, once it is over.
    for (const { output } of await t.db.select().from(jobSteps)) {
      expect(output ?? {}).not.toHaveProperty('login')
    }
  })
})

const broken = () => new AppError('CLUSTER_REFUSED', 'The cluster refuses it.')

/** Fails for good in place of this step. */
const instead =
  (name: string): Bend =>
  (steps) =>
    steps.map((step) =>
      step.name === name ? { ...step, run: () => Promise.reject(broken()) } : step,
    )

import { and, eq, is, sql } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { afterEach, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import { readIso } from '#shared/iso/testing/read-iso.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { jobSteps, jobs } from '../../db/schema/work.ts'
import { schema } from '../../db/schema.ts'
import type { LogTarget } from '../../http/observe/logger.ts'
import { type Person, testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { type Bend, twice } from '../testing/by-hand.ts'
import { openReinstalls, UBUNTU } from '../testing/reinstalls.ts'

const CANARY = 'canary-4711'
const USER_DATA = `#cloud-config\nruncmd:\n  - echo ${CANARY}\n`
const OTHER = '#!/bin/sh\necho another one\n'

/** The step fails permanently, right after it did everything. */
const failingAfter =
  (name: string): Bend =>
  (steps) =>
    steps.map((step) => {
      if (step.name !== name) return step
      const run: typeof step.run = async (context) => {
        await step.run(context)
        throw new AppError('NOT_FOUND', 'The template is gone.')
      }
      return { ...step, run }
    })

/** The image is left where it is, as by a cluster that does not let it go. */
const left: Bend = (steps) =>
  steps.map((step) => (step.name === 'unseed' ? { ...step, run: async () => undefined } : step))

describe.each(BOTH_DATABASES)('user data on %s', async (database) => {
  const lines: string[] = []
  const logTo: LogTarget = { write: (line: string) => void lines.push(line) }
  const clock = testClock()
  const env = { LOG_LEVEL: 'trace' }
  const t = await testApp({ sim: true, database, clock, logTo, env })
  const { shop, hand, vmOf, ...our } = await openReinstalls(t)
  afterEach(() => t.sim.faults.clear())

  const buy = async (user: Person, tokenId: string, userData = USER_DATA) =>
    await t.as(user).attempt(api.marketplace.purchase, { params: { tokenId }, body: { userData } })
  const bought = async () => {
    const user = await t.make.client()
    const token = await shop.token()
    const { status, body } = await buy(user, token.tokenId)
    expect(status).toBe(201)
    return { user, token, orderId: body.order.id, jobId: body.jobId ?? '' }
  }
  const images = () => [...t.sim.state.volumes.keys()].filter((volume) => /hushbox-/.test(volume))
  const serverOf = async (tokenId: number) => {
    const row = await shop.tokenRow(tokenId)
    const vm = t.sim.state.vms.get(row.proxmoxVmId ?? 0)
    if (!vm) throw new Error('the cluster has no such VM')
    return vm
  }
  const ranIn = ({ guest }: ReturnType<typeof vmOf>) => {
    const { files } = readIso(Buffer.from(guest.seed ?? '', 'base64'))
    const found = files.find(({ name }) => name === 'user-data')
    return new TextDecoder().decode(found?.content)
  }
  const hasOwnDrive = ({ config }: ReturnType<typeof vmOf>) => /cloudinit/.test(config.ide2 ?? '')
  /** Every row of every table, and the log. */
  const everything = async () => {
    const tables = Object.values(schema).filter((table) => is(table, PgTable))
    const rows = await Promise.all(tables.map((table) => t.db.select().from(table)))
    return JSON.stringify(rows) + lines.join('\n')
  }
  /** The end of a job is stored by the machine's own clock. */
  const passed = (ms: number) =>
    t.db.update(jobs).set({ finishedAt: new Date(clock.now().getTime() - ms) })
  const sealedIn = async (orderId: number) => (await shop.orderRow(orderId)).setup?.userData

  test('runs at the first start of a bought server, and is then nowhere', async () => {
    const { token, orderId, jobId } = await bought()
    expect(await sealedIn(orderId)).toBeDefined()
    expect(await everything()).not.toContain(CANARY)
    await hand.run(jobId, twice)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done', failure: null })
    const vm = await serverOf(token.id)
    expect(ranIn(vm)).toBe(USER_DATA)
    expect([images(), hasOwnDrive(vm), vm.qmp]).toEqual([[], true, 'running'])
    expect((await shop.orderRow(orderId)).setup).toBeNull()
    expect(await everything()).not.toContain(CANARY)
    expect(JSON.stringify(await our.stepsOf(jobId))).not.toContain('planned')
  })

  test.each(['plan-seed', 'seed', 'start', 'wait', 'unseed'])(
    'leaves no image when %s fails, and comes with the next try',
    async (step) => {
      const { token, orderId, jobId } = await bought()
      await hand.run(jobId, failingAfter(step))
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
      expect(images()).toEqual([])
      expect(await sealedIn(orderId)).toBeDefined()
      expect(await hand.retry(jobId)).toBe(true)
      await hand.run(jobId)
      const vm = await serverOf(token.id)
      expect([ranIn(vm), hasOwnDrive(vm), images()]).toEqual([USER_DATA, true, []])
    },
  )

  test('that is left behind stays until even a slow guest has read it', async () => {
    const { token, jobId } = await bought()
    await hand.run(jobId, left)
    const vm = await serverOf(token.id)
    expect(images()).toHaveLength(1)
    await hand.seedSweep()
    expect([images().length, hasOwnDrive(vm)]).toEqual([1, false])
    await passed(16 * MINUTE_MS)
    await hand.seedSweep()
    expect([images().length, hasOwnDrive(vm), vm.qmp]).toEqual([0, true, 'running'])
    await hand.seedSweep()
  })

  test('that the cluster did not let go is deleted by the sweep, and so is that of a lost VM', async () => {
    const first = await bought()
    t.sim.faults.add({ kind: '403', method: 'DELETE', path: '/content/', message: 'not now' })
    await hand.run(first.jobId)
    expect(await shop.jobRow(first.jobId)).toMatchObject({ state: 'done' })
    const vm = await serverOf(first.token.id)
    expect([images().length, hasOwnDrive(vm)]).toEqual([1, true])
    await passed(16 * MINUTE_MS)
    await hand.seedSweep()
    expect(images()).toHaveLength(1)
    t.sim.faults.clear()
    t.sim.state.vms.delete(vm.vmid)
    await hand.seedSweep()
    expect(images()).toEqual([])
  })

  test('of a cluster that was removed is forgotten, and the sweep goes on', async () => {
    const first = await bought()
    await hand.run(first.jobId, left)
    const second = await bought()
    await hand.run(second.jobId, left)
    const elsewhere = sql`jsonb_set(${jobSteps.output}, '{planned,clusterId}', '4711')`
    const isPlan = and(eq(jobSteps.jobId, first.jobId), eq(jobSteps.step, 'plan-seed'))
    const [kept] = images()
    await t.db.update(jobSteps).set({ output: elsewhere }).where(isPlan)
    await passed(16 * MINUTE_MS)
    await hand.seedSweep()
    expect(images()).toEqual([kept])
    expect(JSON.stringify(await our.stepsOf(first.jobId))).not.toContain('planned')
    t.sim.state.volumes.delete(kept ?? '')
  })

  test('is refused with the place of the mistake, and nothing is sold', async () => {
    const user = await t.make.client()
    const token = await shop.token()
    for (const [text, message] of [
      ['#cloud-config\na: [\n', /^Line \d+: /],
      ['echo', /The first line says/],
      [`#!/bin/sh\n${'\n'.repeat(32 * 1024)}`, /32 KiB/],
    ] as const) {
      const { status, body } = await buy(user, token.tokenId, text)
      expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
      expect(body.details).toMatchObject([
        { path: 'userData', message: expect.stringMatching(message) },
      ])
    }
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'available' })
  })

  test('of the full size fits through the door', async () => {
    const user = await t.make.client()
    const token = await shop.token()
    const head = '#!/bin/sh\n'
    const largest = head + '\n'.repeat(32 * 1024 - head.length)
    expect((await buy(user, token.tokenId, largest)).status).toBe(201)
  })

  test('Windows and a server that runs already take none', async () => {
    const user = await t.make.client()
    const windows = await shop.token({ osType: 'Windows Server 2022' })
    const vm = await shop.vm(101)
    const ready = await shop.token({ tokenType: 'ready', instanceId: vm.id })
    for (const [token, words] of [
      [windows, 'Windows servers take no'],
      [ready, 'runs already'],
    ] as const) {
      const message = expect.stringContaining(words)
      expect(await buy(user, token.tokenId)).toMatchObject({ status: 400, body: { message } })
      const query = { tokenId: token.id }
      expect(await t.as(user).call(api.marketplace.userData, { query })).toEqual({
        refusal: message,
      })
    }
  })

  test('of an ordered package runs on a node that takes it', async () => {
    const user = await t.make.client()
    const plan = { name: 'Small', cpu: '1 CPU', ram: '1 GB', storage: '10 GB', price: 5 }
    const { id: packageId } = await shop.admin.call(api.packages.create, {
      body: { ...plan, osOptions: ['Debian 12'] },
    })
    expect(await t.as(user).call(api.marketplace.userData)).toEqual({ refusal: null })
    const { order } = await t.as(user).call(api.billing.order, {
      body: { packageId, osType: 'Debian 12', userData: USER_DATA },
    })
    const { jobId, tokenId } = await shop.orderRow(order.id)
    await hand.run(jobId ?? '')
    expect(ranIn(await serverOf(tokenId ?? 0))).toBe(USER_DATA)
    expect(images()).toEqual([])
  })

  test('is erased with the order and with the account', async () => {
    const cancelled = await bought()
    await hand.run(cancelled.jobId, failingAfter('plan-seed'))
    const params = { id: cancelled.orderId }
    await shop.admin.call(api.orders.update, { params, body: { status: 'cancelled' } })
    expect(await sealedIn(cancelled.orderId)).toBeUndefined()
    const left = await bought()
    await hand.run(left.jobId, failingAfter('plan-seed'))
    await shop.admin.call(api.users.remove, { params: { id: left.user.id } })
    expect(await sealedIn(left.orderId)).toBeUndefined()
  })

  test('runs at the first start of a new system, which has its own login', async () => {
    const server = await our.server()
    const ask = { userData: USER_DATA }
    const { status, body } = await our.ask(server.user, server, ask)
    expect(status).toBe(202)
    expect(await everything()).not.toContain(CANARY)
    await hand.run(body.jobId, twice)
    expect(await shop.jobRow(body.jobId)).toMatchObject({ state: 'done' })
    const vm = vmOf(server)
    expect([ranIn(vm), hasOwnDrive(vm), images()]).toEqual([USER_DATA, true, []])
    expect((await our.logins(server)).booted).toMatchObject({ user: 'ubuntu' })
    expect((await shop.jobRow(body.jobId)).input).not.toHaveProperty('userData')
    expect(await everything()).not.toContain(CANARY)
  })

  test('of a failed reinstallation is gone, and the old system starts from its own drive', async () => {
    const server = await our.server()
    const { body } = await our.ask(server.user, server, { userData: OTHER })
    await hand.run(body.jobId, failingAfter('start'))
    expect(await shop.jobRow(body.jobId)).toMatchObject({ state: 'failed' })
    const vm = vmOf(server)
    expect([hasOwnDrive(vm), images(), vm.qmp]).toEqual([true, [], 'running'])
    expect((await shop.jobRow(body.jobId)).input).not.toHaveProperty('userData')
  })

  test('of the first system does not run again in the second', async () => {
    const { user, token, jobId } = await bought()
    await hand.run(jobId, left)
    const row = await shop.tokenRow(token.id)
    const id = row.assignedInstanceId ?? 0
    const server = { id, vmId: row.proxmoxVmId ?? 0, user, tokenId: token.id, name: token.name }
    const vm = vmOf(server)
    // The image is still there: nobody has asked the sweep.
    expect([images().length, hasOwnDrive(vm)]).toEqual([1, false])
    delete vm.guest.seed
    const { body } = await our.ask(user, server, { osType: UBUNTU.osType })
    await hand.run(body.jobId)
    expect(await shop.jobRow(body.jobId)).toMatchObject({ state: 'done' })
    expect(vm.guest.seed).toBeUndefined()
    await passed(16 * MINUTE_MS)
    await hand.seedSweep()
    expect([images(), hasOwnDrive(vm)]).toEqual([[], true])
  })
})

describe('user data with the account of the operator guide', async () => {
  const t = await testApp({ sim: true, account: 'guide' })
  const { shop } = await openReinstalls(t)

  test('is not offered, with the reason, and refused', async () => {
    const user = await t.make.client()
    const token = await shop.token()
    const refusal = expect.stringContaining('needs a storage')
    const offer = (query: { tokenId?: number }) =>
      t.as(user).call(api.marketplace.userData, { query })
    expect(await offer({ tokenId: token.id })).toEqual({ refusal })
    expect(await offer({})).toEqual({ refusal })
    const asked = { params: { tokenId: token.tokenId }, body: { userData: USER_DATA } }
    expect(await t.as(user).attempt(api.marketplace.purchase, asked)).toMatchObject({
      status: 400,
      body: { message: refusal },
    })
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'available' })
  })
})

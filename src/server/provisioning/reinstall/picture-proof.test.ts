import { createServer } from 'node:net'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ScreenKind } from '#pve-sim/state/types.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { instances } from '../../db/schema/stock.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins, type Bend, broken } from '../testing/by-hand.ts'
import { openReinstalls, type SoldServer, UBUNTU } from '../testing/reinstalls.ts'

const SILENT = 'The new system did not answer within 10 minutes.'
const WINDOWS = { vmId: 9002, osType: 'Windows Server 2025' }
const DEBIAN = 'Debian GNU/Linux 12'
const HALF_A_MINUTE_MS = MINUTE_MS / 2
const soon = { timeout: 30_000, interval: 10 }

describe.each(BOTH_DATABASES)('a new system without agent and SSH on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openReinstalls(t)

  beforeEach(() => {
    for (const { vmId } of [WINDOWS, UBUNTU]) {
      const template = t.sim.state.vms.get(vmId)
      if (template) Object.assign(template.guest, { agent: 'none', screen: 'logo' })
    }
  })
  afterEach(() => t.sim.faults.clear())

  const begin = async (server: SoldServer, osType = WINDOWS.osType) => {
    const { status, body } = await our.ask(server.user, server, { osType })
    expect(status).toBe(202)
    return body.jobId
  }
  const looksAt = ({ vmId }: SoldServer) =>
    [...t.sim.state.tasks.values()].filter(
      (task) => task.type === 'vncproxy' && task.id === String(vmId),
    ).length
  const provedBy = async (jobId: string) =>
    (await our.stepsOf(jobId)).find(({ step }) => step === 'proof')?.output
  const show = (server: SoldServer, screen: ScreenKind): Bend =>
    asBegins('proof', async () => {
      our.vmOf(server).guest.screen = screen
    })

  /** It shows its picture, ten minutes after the start; then so much time passes after each look. */
  const late = (server: SoldServer, eachMs = MINUTE_MS): Bend => {
    const begins = asBegins('proof', async () => {
      our.vmOf(server).guest.screen = 'system'
      clock.advance(10 * MINUTE_MS)
    })
    const progress = async () => clock.advance(eachMs)
    return (steps, kind) =>
      begins(
        steps.map((step) =>
          step.name === 'proof'
            ? { ...step, run: (context) => step.run(Object.assign({}, context, { progress })) }
            : step,
        ),
        kind,
      )
  }

  /** Half a minute passes after each of so many looks, then as much as the last argument says. */
  async function pass(server: SoldServer, looks: number, afterwardsMs = 0) {
    for (let seen = 0; seen < looks; seen += 1) {
      const before = looksAt(server)
      clock.advance(HALF_A_MINUTE_MS)
      await vi.waitFor(() => expect(looksAt(server)).toBeGreaterThan(before), soon)
    }
    clock.advance(afterwardsMs)
  }

  /** Runs it until the first look of the proof, and then as time passes. */
  async function run(server: SoldServer, jobId: string, bend: Bend, passing: () => Promise<void>) {
    const running = hand.run(jobId, bend)
    running.catch(() => undefined)
    await vi.waitFor(() => expect(looksAt(server)).toBe(2), soon)
    await passing()
    await running
  }

  const expectOld = async (server: SoldServer, jobId: string) => {
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'failed',
      failure: { message: SILENT },
    })
    const config = { ostype: 'l26', cipassword: expect.stringMatching(/^\$5\$/) }
    expect(our.vmOf(server)).toMatchObject({ qmp: 'running', guest: { os: DEBIAN }, config })
    expect(our.disks(server)).toHaveLength(1)
    expect(await shop.tokenRow(server.tokenId)).toMatchObject({ osType: 'Debian 12' })
  }
  const expectNew = async (server: SoldServer, jobId: string, by: string) => {
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(await provedBy(jobId)).toEqual({ by })
    // Windows cannot read a hash.
    const config = { ostype: 'win11', cipassword: (await our.logins(server)).stored.password }
    const guest = { os: WINDOWS.osType }
    expect(our.vmOf(server)).toMatchObject({ qmp: 'running', guest, config })
    expect(our.disks(server)).toHaveLength(1)
    expect(await shop.tokenRow(server.tokenId)).toMatchObject({ osType: WINDOWS.osType })
  }

  test('proves itself by its picture, seen twice', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    await run(server, jobId, show(server, 'system'), () => pass(server, 1))
    await expectNew(server, jobId, 'picture')
    expect(looksAt(server)).toBe(3)
  })

  test.each(['logo', 'no-disk', 'one-colour', 'gigantic'] as const)(
    'that shows %s is replaced by the old one',
    async (screen) => {
      const server = await our.server()
      const jobId = await begin(server)
      const passing = () => pass(server, 2, 10 * MINUTE_MS)
      await run(server, jobId, show(server, screen), passing)
      await expectOld(server, jobId)
    },
  )

  test('that only shows what the firmware shows is replaced by the old one', async () => {
    const template = t.sim.state.vms.get(WINDOWS.vmId)
    if (template) template.guest.screen = 'splash'
    const server = await our.server()
    const jobId = await begin(server)
    const passing = () => pass(server, 2, 10 * MINUTE_MS)
    await run(server, jobId, (steps) => steps, passing)
    await expectOld(server, jobId)
  })

  test('whose picture is first seen when its time is over is looked at once more', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    await hand.run(jobId, late(server, 10_000))
    await expectNew(server, jobId, 'picture')
  })

  test('is not looked at if it is Linux', async () => {
    const server = await our.server()
    const jobId = await begin(server, UBUNTU.osType)
    await hand.run(jobId, late(server))
    await expectOld(server, jobId)
    expect(looksAt(server)).toBe(0)
  })

  test('is not proven by a picture if nobody saw what the firmware shows', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    const blind = asBegins('firmware', async () => clock.advance(10_000))
    await hand.run(jobId, (steps, kind) => late(server)(blind(steps, kind), kind))
    await expectOld(server, jobId)
    expect(looksAt(server)).toBe(0)
  })

  test('is not proven by a picture if the account may open no console', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    const message = `Permission check failed (/vms/${server.vmId}, VM.Console)`
    t.sim.faults.add({ kind: '403', path: /vncproxy/, message })
    await hand.run(jobId, late(server))
    await expectOld(server, jobId)
  })

  test('that was no more than copied leaves the VM what it was', async () => {
    const server = await our.server()
    const before = our.vmOf(server).config.cipassword
    const jobId = await begin(server)
    await hand.run(jobId, broken('replace'))
    expect(our.vmOf(server).config).toMatchObject({ ostype: 'l26', cipassword: before })
    expect(our.disks(server)).toHaveLength(1)
  })

  test('whose job was begun by an older version is taken for what the old one is', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    const older: Bend = (steps) =>
      steps.map((step) => {
        if (step.name !== 'remember') return step
        const run: typeof step.run = async (context) => {
          const known = await step.run(context)
          return { ...(known as object), system: undefined }
        }
        return { ...step, run }
      })
    await hand.run(jobId, (steps, kind) => broken('configure')(older(steps, kind), kind))
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    expect(our.vmOf(server)).toMatchObject({ guest: { os: DEBIAN }, config: { ostype: 'l26' } })
  })

  test('is looked at again after the cluster was away', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    t.sim.faults.add({ kind: '595', path: /vncproxy/, count: 2 })
    // Right after the start it is tried again, as long as the firmware is on the screen.
    await expect(hand.run(jobId)).rejects.toThrow(RunAgainError)
    await expect(hand.run(jobId)).rejects.toThrow(RunAgainError)
    const away = asBegins('proof', async () => {
      our.vmOf(server).guest.screen = 'system'
    })
    await run(server, jobId, away, async () => {
      t.sim.faults.add({ kind: '595', path: /vncproxy/, count: 1 })
      clock.advance(HALF_A_MINUTE_MS)
      await vi.waitFor(() => expect(t.sim.faults.list()).toEqual([]), soon)
      await pass(server, 2)
    })
    await expectNew(server, jobId, 'picture')
  })

  test('is looked at twice more after the process died between two looks', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    const dying: Bend = (steps) =>
      steps.map((step) => {
        if (step.name !== 'proof') return step
        const died = () => Promise.reject(new Error('the process died'))
        const dies: typeof step.run = (context) => {
          our.vmOf(server).guest.screen = 'system'
          return step.run(Object.assign({}, context, { progress: died }))
        }
        return { ...step, run: dies }
      })
    await expect(hand.run(jobId, dying)).rejects.toThrow(RunAgainError)
    expect(looksAt(server)).toBe(2)
    clock.advance(HALF_A_MINUTE_MS)
    const running = hand.run(jobId)
    await vi.waitFor(() => expect(looksAt(server)).toBe(3), soon)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'running' })
    await pass(server, 1)
    await running
    await expectNew(server, jobId, 'picture')
  })

  test('proves itself by Remote Desktop before its picture is judged', async () => {
    const server = await our.server()
    const address = '127.0.33.89'
    const desktop = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(Buffer.from('0300000b06d00000123400', 'hex')))
    })
    onTestFinished(() => void desktop.close())
    await new Promise<void>((resolve) => desktop.listen(3389, address, resolve))
    await t.db.update(instances).set({ ipAddress: address }).where(eq(instances.id, server.id))
    const jobId = await begin(server)
    await hand.run(jobId)
    await expectNew(server, jobId, 'rdp')
  })
})

import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { instances } from '../../db/schema/stock.ts'
import { startSshServer, TEST_KEYS } from '../../ssh/testing/ssh-server.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins, type Bend } from '../testing/by-hand.ts'
import { openReinstalls, type SoldServer, UBUNTU } from '../testing/reinstalls.ts'

const ADDRESS = '127.0.33.90'
const SILENT = 'The new system did not answer within 10 minutes.'
const proof = { step: 'proof', output: { by: 'ssh', hostKey: expect.stringMatching(/^SHA256:/) } }

describe.each(BOTH_DATABASES)('a new system without agent on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openReinstalls(t)

  beforeEach(() => {
    const template = t.sim.state.vms.get(UBUNTU.vmId)
    if (template) template.guest.agent = 'none'
  })

  const begin = async () => {
    const server = await our.server()
    await t.db.update(instances).set({ ipAddress: ADDRESS }).where(eq(instances.id, server.id))
    return { server, jobId: (await our.ask(server.user, server)).body.jobId }
  }
  const answersSsh = async () => {
    const place = { host: ADDRESS, port: 22 }
    const ssh = await startSshServer({ keys: [TEST_KEYS.ed25519()] }, place)
    onTestFinished(ssh.close)
  }
  /** Our process comes back after so long, and this happens after each look. */
  const away = (ms: number, afterLook: (look: number) => unknown = () => undefined): Bend => {
    const begins = asBegins('proof', async () => clock.advance(ms))
    return (steps, kind) => {
      let looks = 0
      const progress = async () => void (await afterLook(++looks))
      const watched = steps.map((step) =>
        step.name === 'proof'
          ? { ...step, run: (context: never) => step.run(Object.assign({}, context, { progress })) }
          : step,
      )
      return begins(watched, kind)
    }
  }
  const expectProven = async (jobId: string, server: SoldServer) => {
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(await our.stepsOf(jobId)).toContainEqual(expect.objectContaining(proof))
    expect(await shop.tokenRow(server.tokenId)).toMatchObject({ osType: UBUNTU.osType })
  }

  test('is asked before it is called silent, however long our process was away', async () => {
    const { server, jobId } = await begin()
    await answersSsh()
    await hand.run(jobId, away(11 * MINUTE_MS))
    await expectProven(jobId, server)
  })

  test('is asked for as long as one answer may take', async () => {
    const { server, jobId } = await begin()
    // Nothing listens at first: our own network may not be there yet, either.
    const second = async (look: number) => {
      if (look === 4) await answersSsh()
      if (look <= 4) clock.advance(1000)
    }
    await hand.run(jobId, away(11 * MINUTE_MS, second))
    await expectProven(jobId, server)
  })

  test('is replaced by the old one, if it does not answer then', async () => {
    const { server, jobId } = await begin()
    await hand.run(
      jobId,
      away(11 * MINUTE_MS, () => clock.advance(1000)),
    )
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'failed',
      failure: { publicMessage: expect.stringContaining(SILENT) },
    })
    expect(await shop.tokenRow(server.tokenId)).toMatchObject({ osType: 'Debian 12' })
  })

  test('is waited for until its ten minutes are over, however long its job has run', async () => {
    const { server, jobId } = await begin()
    const real = performance.now.bind(performance)
    const oneTryIsOver = () => {
      const spy = vi.spyOn(performance, 'now').mockImplementation(() => real() + 3 * MINUTE_MS)
      onTestFinished(() => spy.mockRestore())
    }
    const longCopy = asBegins('replace', async () => clock.advance(HOUR_MS))
    const bend: Bend = (steps, kind) => away(0, oneTryIsOver)(longCopy(steps, kind), kind)
    await expect(hand.run(jobId, bend)).rejects.toMatchObject({ cause: { hasOwnEnd: true } })
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'waiting',
      failure: { publicMessage: 'The new system does not answer yet.' },
    })
    await answersSsh()
    await hand.run(jobId)
    await expectProven(jobId, server)
  })
})

import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { testApp } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { actorOf, type Bend, byHand } from '../testing/by-hand.ts'
import { JUMPS, machineClock } from '../testing/machine-clock.ts'
import { openShop } from '../testing/shop.ts'

const TERM_DAYS = 30

/** The cluster becomes unreachable right after the clone, so the job waits halfway. */
const cutAfterClone: Bend = (steps) =>
  steps.map((step) =>
    step.name === 'configure'
      ? {
          ...step,
          run: () => {
            throw new AppError('CLUSTER_UNAVAILABLE', 'away')
          },
        }
      : step,
  )

describe.each(BOTH_DATABASES)('on %s a clock that jumps', async (database) => {
  const m = machineClock()
  const clock = m.boot()
  const t = await testApp({ database, sim: true, clock, env: { GRACE_DAYS: '7' } })
  const shop = await openShop(t)
  const hand = byHand(t)
  hand.takeOver()

  const tick = async (at = hand) => {
    m.pass(3000)
    clock.compare(m.wall())
    await at.sweep()
    await at.lapse()
    await at.runAll()
  }
  const ticks = async (at = hand) => {
    for (let n = 0; n < 3; n += 1) await tick(at)
  }
  const claim = async (values: Record<string, unknown> = {}) => {
    const user = await t.make.client()
    const { id, tokenId } = await shop.token({ durationDays: TERM_DAYS, ...values })
    const { jobId } = await hand.sales.claim(actorOf(user), tokenId, 'purchase')
    return { id, user, jobId }
  }
  const server = async (values: Record<string, unknown> = {}) => {
    const claimed = await claim(values)
    await hand.runToEnd(claimed.jobId)
    const { assignedInstanceId } = await shop.tokenRow(claimed.id)
    return { ...claimed, params: { id: assignedInstanceId ?? 0 } }
  }
  const lookAt = async (id: number) => {
    const token = await shop.tokenRow(id)
    const [instance] = await shop.instancesOf(id)
    return {
      status: token.status,
      isSuspended: instance ? instance.suspendedAt !== null : undefined,
      vm: t.sim.state.vms.get(instance?.vmId ?? 0)?.qmp,
    }
  }

  /** One server in each state that has something in progress. */
  const world = async () => {
    const grace = await server({ durationDays: 1 })
    m.pass(DAY_MS + HOUR_MS)
    await ticks()
    const suspended = await server()
    const reason = { reason: 'Abuse' }
    await shop.admin.call(api.instances.suspend, { params: suspended.params, body: reason })
    await hand.runAll()
    const ending = await server()
    const [row] = await shop.instancesOf(ending.id)
    const body = { confirm: String(row?.vmId), refund: 'none' as const }
    await shop.admin.call(api.instances.end, { params: ending.params, body })
    const coming = await claim()
    await expect(hand.run(coming.jobId, cutAfterClone)).rejects.toThrow()
    return { grace, suspended, ending, coming }
  }

  const all = async ({ grace, suspended, ending, coming }: Awaited<ReturnType<typeof world>>) => ({
    grace: await lookAt(grace.id),
    suspended: await lookAt(suspended.id),
    ending: await lookAt(ending.id),
    coming: await lookAt(coming.id),
  })
  const AS_IT_SHOULD_BE = {
    grace: { status: 'expired', isSuspended: false, vm: 'stopped' },
    suspended: { status: 'assigned', isSuspended: true, vm: 'stopped' },
    ending: { status: 'cancelled', isSuspended: false, vm: 'stopped' },
    coming: { status: 'assigned', isSuspended: false, vm: 'running' },
  }
  /** The full paid term, to the minute; extra time from a wrong clock stays with the client. */
  const isWholeTerm = async (id: number) => {
    const { expiresAt } = await shop.tokenRow(id)
    return Number(expiresAt) >= clock.now().getTime() + TERM_DAYS * DAY_MS - MINUTE_MS
  }
  /** Each server can still become what its client paid for. */
  const goOn = async ({ grace, suspended, ending }: Awaited<ReturnType<typeof world>>) => {
    await hand.renewals.renew(actorOf(grace.user), grace.id)
    await shop.admin.call(api.instances.resume, { params: suspended.params })
    await shop.admin.call(api.tokens.restore, { params: { id: ending.id } })
    await ticks()
    const states = [grace, suspended, ending].map(async ({ id }) => await lookAt(id))
    return await Promise.all(states)
  }
  const RUNNING = { status: 'assigned', isSuspended: false, vm: 'running' }

  test.each(JUMPS)(
    'by %i ms under a running server ends, loses and shortens nothing in progress',
    async (ms) => {
      const made = await world()
      m.jump(ms)
      await ticks()
      expect(await all(made)).toEqual(AS_IT_SHOULD_BE)
      expect(await isWholeTerm(made.coming.id)).toBe(true)
      m.jump(-ms)
      await ticks()
      expect(await all(made)).toEqual(AS_IT_SHOULD_BE)
      expect(await goOn(made)).toEqual([RUNNING, RUNNING, RUNNING])
    },
  )

  test.each(JUMPS)(
    'by %i ms at a restart in between destroys nothing, and its effects are corrected',
    async (ms) => {
      const made = await world()
      const vms = t.sim.state.vms.size
      m.jump(ms)
      const wrong = await testApp({ on: t.database, clock: m.boot(), env: { GRACE_DAYS: '7' } })
      await wrong.deps.links.refresh()
      await wrong.deps.hypervisors.of(t.cluster.id).inventory.refresh()
      await ticks(byHand(wrong))
      await wrong.close()
      expect(t.sim.state.vms.size).toBe(vms)
      m.jump(-ms)
      await ticks()
      expect(await all(made)).toEqual(AS_IT_SHOULD_BE)
      expect(await isWholeTerm(made.coming.id)).toBe(true)
      expect(await goOn(made)).toEqual([RUNNING, RUNNING, RUNNING])
    },
  )
})

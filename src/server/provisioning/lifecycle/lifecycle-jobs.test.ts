import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { orders, payments } from '../../db/schema/sales.ts'
import { serverEnds, serviceTime } from '../../db/schema/service-time.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { type Bend, byHand } from '../testing/by-hand.ts'

const MARKER = 'hushbox:order-7'
const clock = testClock()
const t = await testApp({ sim: true, clock })
const hand = byHand(t)
const client = await t.make.client()
const { token, instance } = await t.make.owned(t.cluster, 100, client)
const { hypervisor } = t.deps.hypervisors.of(t.cluster.id)
const realPower = hypervisor.power
const power = vi.spyOn(hypervisor, 'power')
const vm = () => t.sim.state.vms.get(100)
const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)

const setToken = (values: Partial<typeof tokens.$inferInsert>) =>
  t.db.update(tokens).set(values).where(eq(tokens.id, token.id))
const setInstance = (values: Partial<typeof instances.$inferInsert>) =>
  t.db.update(instances).set(values).where(eq(instances.id, instance.id))
const instanceRow = async () =>
  (await t.db.select().from(instances).where(eq(instances.id, instance.id)))[0]
const tokenRow = async () => (await t.db.select().from(tokens).where(eq(tokens.id, token.id)))[0]
const renew = () => setToken({ status: 'assigned', cancelledAt: null, expiresAt: daysAgo(-30) })
const expire = () => setToken({ status: 'expired', expiresAt: daysAgo(8) })
const suspended = { suspendReason: 'Spam.', suspendCause: 'operator' } as const

const run = async (kind: 'stop' | 'start' | 'end', bend?: Bend) => {
  const input = { tokenId: token.id, name: token.name }
  await hand.run(await hand.jobs.enqueue(t.db, hand[kind], input), bend)
}
/** Something that happens while the cluster carries out the next action. */
const duringAct = (happens: () => Promise<unknown>) =>
  power.mockImplementationOnce(async (...given) => {
    await happens()
    return await realPower(...given)
  })
/** The VM is one that we made. */
const makeOurs = async () => {
  const machine = vm()
  if (machine) machine.config = { ...machine.config, description: MARKER, onboot: '1' }
  await setInstance({ marker: MARKER })
}
/** A sweep has ordered the removal after the whole grace period. */
const orderRemoval = async () => {
  await expire()
  const at = daysAgo(8)
  const recorded = { endsAt: at, since: at.toISOString(), recordedAt: at, recordedMs: 0 }
  await t.db.insert(serverEnds).values({ tokenId: token.id, ...recorded, orderedMs: 8 * DAY_MS })
  await t.db.insert(serviceTime).values({ seenAt: clock.now(), witnessedMs: 8 * DAY_MS })
}

beforeEach(async () => {
  await t.db.delete(serverEnds)
  await t.db.delete(serviceTime)
  await setInstance({
    ...{ ownerId: client.id, tokenId: token.id, marker: null, status: 'running' },
    ...{ suspendedAt: null, suspendReason: null, suspendCause: null },
  })
  await renew()
  await setToken({ assignedInstanceId: instance.id })
  await realPower({ vmId: 100 }, 'start')
  power.mockClear()
})

describe('the job that stops a server', () => {
  test('does not interrupt a server that was renewed before', async () => {
    await run('stop')
    expect(power).not.toHaveBeenCalled()
  })

  test('stops a suspended server', async () => {
    await setInstance({ suspendedAt: clock.now(), ...suspended })
    await run('stop')
    expect(vm()?.qmp).toBe('stopped')
  })

  test('starts a server again that was renewed during the stop', async () => {
    await expire()
    duringAct(renew)
    await run('stop')
    expect(power.mock.calls.map(([, act]) => act)).toEqual(['shutdown', 'start'])
    expect(vm()?.qmp).toBe('running')
  })

  test('waits for a start that is in progress', async () => {
    await expire()
    await setInstance({ status: 'starting', lastUpdated: clock.now() })
    await expect(run('stop')).rejects.toBeInstanceOf(RunAgainError)
    expect(power).not.toHaveBeenCalled()
  })
})

describe('the job that starts a server', () => {
  test('does not start a server that ended meanwhile', async () => {
    await expire()
    await run('start')
    expect(power).not.toHaveBeenCalled()
  })

  test('stops a server again that ended during the start', async () => {
    await realPower({ vmId: 100 }, 'stop')
    duringAct(expire)
    await run('start')
    expect(vm()?.qmp).toBe('stopped')
  })
})

describe('the job that removes a server', () => {
  test('keeps a server whose removal no sweep has ordered', async () => {
    await expire()
    await run('end')
    expect(await tokenRow()).toMatchObject({ status: 'expired', assignedInstanceId: instance.id })
    expect(vm()?.qmp).toBe('running')
  })

  test('keeps a server whose renewal is being paid', async () => {
    await orderRemoval()
    const [order] = await t.db
      .insert(orders)
      .values({
        userId: client.id,
        tokenId: token.id,
        kind: 'renewal',
        planName: 'x',
        amountCents: 5,
      })
      .returning()
    const paid = { provider: 'sandbox', providerPaymentId: 'p-1', amountCents: 5 }
    await t.db.insert(payments).values({ ...paid, orderId: order?.id ?? 0, status: 'confirming' })
    await run('end')
    expect(await tokenRow()).toMatchObject({ status: 'expired', assignedInstanceId: instance.id })
    await t.db.update(payments).set({ status: 'failed' })
  })

  test('keeps a server that an admin restored after the decision', async () => {
    await orderRemoval()
    await run('end', (steps) =>
      steps.map((step) => ({
        ...step,
        run: async (context) => {
          if (step.name === 'destroy') await renew()
          return await step.run(context)
        },
      })),
    )
    expect(await tokenRow()).toMatchObject({ status: 'assigned', assignedInstanceId: instance.id })
    expect(vm()?.qmp).toBe('running')
  })

  test('stops and releases a VM that existed before us, and keeps it', async () => {
    await orderRemoval()
    await expect(run('end'), 'it ends at its first try').resolves.toBeUndefined()
    expect(vm()?.qmp).toBe('stopped')
    expect(await instanceRow()).toMatchObject({ ownerId: null, tokenId: null, status: 'stopped' })
    expect(await tokenRow()).toMatchObject({ status: 'cancelled', assignedInstanceId: null })
  })
})

describe('a server that we made', () => {
  test('no longer starts with its node once it has ended', async () => {
    await makeOurs()
    await expire()
    await run('stop')
    expect([vm()?.qmp, vm()?.config.onboot]).toEqual(['stopped', '0'])
  })

  test('is destroyed with its row when it is removed', async () => {
    await makeOurs()
    await orderRemoval()
    await run('end')
    expect(vm()).toBeUndefined()
    expect(await instanceRow()).toBeUndefined()
  })
})

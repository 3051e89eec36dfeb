import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import { payments } from '../../db/schema/sales.ts'
import { leases } from '../../db/schema/work.ts'
import { COULD_NOT } from '../../jobs/public-failure.ts'
import { testApp } from '../../testing/test-app.ts'
import { actorOf, type Bend, byHand, twice } from '../testing/by-hand.ts'
import { PROVISION_STEPS } from '../testing/provision-steps.ts'
import { openShop } from '../testing/shop.ts'

const broken = () => new AppError('NOT_FOUND', 'The template is gone.')

/** The step fails permanently: before it did anything, or right after it did everything. */
const failing =
  (name: string, when: 'before' | 'after'): Bend =>
  (steps) =>
    steps.map((step) => {
      if (step.name !== name) return step
      const run: typeof step.run = async (context) => {
        if (when === 'after') await step.run(context)
        throw broken()
      }
      return { ...step, run }
    })

describe('the provisioning saga', async () => {
  const t = await testApp({ sim: true })
  const shop = await openShop(t)
  const hand = byHand(t)

  const buy = async (values: Record<string, unknown> = {}) => {
    const token = await shop.token(values)
    const buyer = await t.make.client()
    const sale = await hand.sales.claim(actorOf(buyer), token.tokenId, 'purchase')
    const before = shop.made().length
    return { ...sale, token, buyer, before, bad: (bend: Bend) => hand.run(sale.jobId, bend) }
  }

  type Bought = Awaited<ReturnType<typeof buy>>

  const expectDelivered = async ({ token, order, jobId, before }: Bought) => {
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done', failure: null })
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'assigned' })
    expect(await shop.orderRow(order.id)).toMatchObject({ status: 'active', failure: null })
    expect(await shop.instancesOf(token.id)).toHaveLength(1)
    expect(shop.made()).toHaveLength(before + 1)
    expect(await t.db.select().from(leases)).toEqual([])
  }

  const expectNothingLeft = async ({ token, order, jobId, before }: Bought) => {
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    expect(await shop.tokenRow(token.id)).toMatchObject({
      status: 'available',
      assignedUserId: null,
      assignedInstanceId: null,
      assignedAt: null,
      expiresAt: null,
      macAddress: null,
    })
    expect(await shop.orderRow(order.id)).toMatchObject({
      status: 'paid',
      failure: COULD_NOT,
      failureDetail: 'The template is gone.',
    })
    expect(await shop.instancesOf(token.id)).toEqual([])
    expect(shop.made()).toHaveLength(before)
    expect(await t.db.select().from(leases)).toEqual([])
    const paid = await t.db.select().from(payments)
    expect(paid.filter(({ orderId }) => orderId === order.id)).toHaveLength(1)
  }

  test('has exactly the steps that pages show', () => {
    expect(hand.provision.steps.map(({ name }) => name)).toEqual(PROVISION_STEPS)
  })

  test('is idempotent in every step', async () => {
    const bought = await buy()
    await bought.bad(twice)
    await expectDelivered(bought)
  })

  const FAILURES = PROVISION_STEPS.flatMap((step) => [
    [step, 'before'] as const,
    ...(step === 'assign' ? [] : [[step, 'after'] as const]),
  ])

  test.each(FAILURES)(
    'unwinds after a failure of %s, %s its effect, and can be retried',
    async (step, when) => {
      const bought = await buy()
      await bought.bad(failing(step, when))
      await expectNothingLeft(bought)
      expect(await hand.retry(bought.jobId)).toBe(true)
      await hand.run(bought.jobId)
      await expectDelivered(bought)
    },
  )

  test.each(PROVISION_STEPS)(
    'unwinds after a failure of %s, even if every undo runs twice',
    async (step) => {
      const bought = await buy()
      await bought.bad((steps, kind) => failing(step, 'before')(twice(steps, kind), kind))
      await expectNothingLeft(bought)
    },
  )

  test('leaves a token that was sold again meanwhile with its new owner', async () => {
    const first = await buy()
    await first.bad(failing('clone', 'after'))
    const other = await t.make.client()
    const again = await hand.sales.claim(actorOf(other), first.token.tokenId, 'purchase')
    expect(await hand.retry(first.jobId)).toBe(true)
    await hand.run(first.jobId)
    expect(await shop.jobRow(first.jobId)).toMatchObject({
      state: 'failed',
      failure: { code: 'TOKEN_TAKEN' },
    })
    expect(await shop.orderRow(first.order.id)).toMatchObject({
      status: 'paid',
      failure: 'The token is no longer free.',
    })
    await hand.run(again.jobId)
    expect(await shop.tokenRow(first.token.id)).toMatchObject({
      status: 'assigned',
      assignedUserId: other.id,
    })
  })

  test('never gives the same buyer one server for two orders', async () => {
    const first = await buy()
    await first.bad(failing('configure', 'after'))
    const again = await hand.sales.claim(actorOf(first.buyer), first.token.tokenId, 'purchase')
    await hand.retry(first.jobId)
    await hand.run(first.jobId)
    expect(await shop.orderRow(first.order.id)).toMatchObject({ status: 'paid' })
    await hand.run(again.jobId)
    expect(await shop.orderRow(again.order.id)).toMatchObject({ status: 'active' })
  })

  test('leaves another owner’s VM with our id alone and takes another id', async () => {
    const bought = await buy()
    const squat: Bend = (steps) =>
      steps.map((step) => {
        if (step.name !== 'clone') return step
        const run: typeof step.run = async (context) => {
          const [row] = await shop.instancesOf(bought.token.id)
          const theirs = t.sim.state.vms.get(103)
          if (row && theirs) {
            const config = { ...theirs.config, name: 'theirs', description: 'not yours' }
            t.sim.state.vms.set(row.vmId, { ...theirs, vmid: row.vmId, config })
          }
          return step.run(context)
        }
        return { ...step, run }
      })
    await bought.bad(squat)
    await expectDelivered(bought)
    const theirs = [...t.sim.state.vms.values()].filter(({ config }) => config.name === 'theirs')
    expect(theirs).toHaveLength(1)
    for (const { vmid } of theirs) t.sim.state.vms.delete(vmid)
  })

  test('gives a client deleted during provisioning no server and leaves nothing behind', async () => {
    const bought = await buy()
    const gone: Bend = (steps) =>
      steps.map((step) => {
        if (step.name !== 'start') return step
        const run: typeof step.run = async (context) => {
          await shop.admin.call(api.users.remove, { params: { id: bought.buyer.id } })
          return step.run(context)
        }
        return { ...step, run }
      })
    await bought.bad(gone)
    expect(await shop.tokenRow(bought.token.id)).toMatchObject({ status: 'cancelled' })
    expect(await shop.orderRow(bought.order.id)).toMatchObject({ status: 'cancelled' })
    expect(await shop.instancesOf(bought.token.id)).toEqual([])
    expect(shop.made()).toHaveLength(bought.before)
  })
})

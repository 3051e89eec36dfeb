import { afterEach, describe, expect, test } from 'vitest'
import { FAULT_KINDS, type FaultKind } from '#pve-sim/faults/fault-board.ts'
import { api } from '#shared/api/index.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { PROVIDER_WAYS, redeemVoucher, startEveryWay } from '../../payments/testing/every-way.ts'
import { openTill } from '../../payments/testing/till.ts'
import { testClock } from '../../testing/test-app.ts'
import type { DatabaseKind } from '../../testing/test-db.ts'
import { acceptCertificate, usePool } from '../../testing/with-sim.ts'
import { asBegins } from '../testing/by-hand.ts'
import { PROVISION_STEPS } from '../testing/provision-steps.ts'
import { openSilence } from '../testing/silence.ts'

const isLong = process.env.LONG === '1'
const WAYS = [...PROVIDER_WAYS, 'credit'] as const
/** From its start on a server has ten minutes; in these steps they pass without an answer. */
const SILENT = ['firmware', 'wait', 'proof']

/** Room for a server of each case. */
const POOL = {
  cidr: '10.64.0.0/16',
  gateway: '10.64.0.1',
  ranges: [{ first: '10.64.1.0', last: '10.64.255.254' }],
}

/** So many faults apart, a step is tried with the next way to pay. */
const EVERY = 8

const ALL = FAULT_KINDS.flatMap((kind, at) =>
  PROVISION_STEPS.flatMap((step, place) =>
    WAYS.map((way, which) => {
      const isWay = which === (at + Math.floor(place / EVERY)) % WAYS.length
      return { kind, step, way, isTried: isWay && place % EVERY === at % EVERY }
    }),
  ),
)
/** Every fault, every step and every way, but not each with each. */
const SPREAD = ALL.filter(({ isTried }) => isTried)
const RUNS: [DatabaseKind, typeof ALL][] = isLong
  ? [
      ['postgres', ALL],
      ['embedded', SPREAD],
    ]
  : [['postgres', SPREAD]]

describe.each(RUNS)(
  'a cluster that fails from a step on, however the order was paid, on %s',
  async (database, cases) => {
    const clock = testClock()
    const every = await startEveryWay(clock)
    const till = await openTill(every.stand, { database, clock })
    const { t } = till
    const world = await openSilence(t, clock)
    const { hand, shop, pass } = world
    hand.takeOver()
    const operator = await t.make.admin()
    await usePool(t.deps, t.cluster, POOL)
    let sold = 0
    const nextAddress = () => {
      sold += 1
      return `10.64.${1 + Math.floor(sold / 200)}.${sold % 200}`
    }

    /** The cluster is itself again, and its operator has done what the product asked for. */
    const heal = async () => {
      t.sim.faults.clear()
      for (const { config } of t.sim.state.vms.values()) {
        if (config.lock === 'clone') delete config.lock
      }
      await acceptCertificate(t.deps, t.cluster, t.sim)
      await t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
    }
    afterEach(heal)

    const bought = async (paymentMethod: (typeof WAYS)[number]) => {
      const buyer = await t.make.client()
      const token = await shop.token({ ipAddress: nextAddress() })
      const call = { params: { tokenId: token.tokenId }, body: { paymentMethod } }
      if (paymentMethod === 'credit') {
        await redeemVoucher(t, { operator, client: buyer, amount: '5.00' })
      }
      const { order } = await t.as(buyer).call(api.marketplace.purchase, call)
      if (paymentMethod !== 'credit') await every.pay(till, order.id, operator)
      await hand.poll.run()
      const { status, jobId } = await shop.orderRow(order.id)
      expect(status).toBe('provisioning')
      return { buyer, token, order, jobId: jobId ?? '', before: shop.made().length }
    }

    const runInto = async (jobId: string, kind: FaultKind, step: string) => {
      const fails = asBegins(step, async () => {
        t.sim.faults.add({ kind, ...(kind === 'node-offline' ? { node: 'pve1' } : { ms: 5 }) })
        if (SILENT.includes(step)) await pass(10 * MINUTE_MS)
      })
      await hand.run(jobId, fails).catch((error: unknown) => {
        expect(error).toBeInstanceOf(RunAgainError)
      })
    }

    test('the table has every step of the job, and the spread every fault, step and way', () => {
      for (const [name, all] of [
        ['kind', FAULT_KINDS],
        ['step', PROVISION_STEPS],
        ['way', WAYS],
      ] as const) {
        expect(new Set(SPREAD.map((one) => one[name]))).toEqual(new Set(all))
      }
      expect(hand.provision.steps.map(({ name }) => name)).toEqual(PROVISION_STEPS)
    })

    test.each(cases)(
      '$kind from $step on, paid by $way: earned with the proof, or back in time',
      async ({ kind, step, way }) => {
        const sale = await bought(way)
        await runInto(sale.jobId, kind, step)
        await world.moneyOf(sale)
        await pass(11 * MINUTE_MS)
        await hand.silence()
        const { status, answerByMs } = await shop.orderRow(sale.order.id)
        // It is the money that is back within a minute; the machine waits for its cluster.
        if (status === 'cancelled') await world.expectReturned(sale)
        else if (status === 'active') await world.expectDelivered(sale)
        else {
          expect(await world.moneyOf(sale)).toEqual({ held: 500, earned: 0, credit: 0 })
          expect(answerByMs).toBeNull()
        }
        if (SILENT.includes(step)) expect(status).toBe('cancelled')
        await heal()
        await hand.runToEnd(sale.jobId)
        if (status === 'cancelled') return await world.expectRemoved(sale)
        if ((await shop.orderRow(sale.order.id)).status === 'paid') {
          await hand.retry(sale.jobId)
          await hand.runToEnd(sale.jobId)
        }
        return await world.expectDelivered(sale)
      },
    )
  },
)

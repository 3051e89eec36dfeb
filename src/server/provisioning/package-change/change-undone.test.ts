import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { orders } from '../../db/schema/sales.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins, type Bend, broken } from '../testing/by-hand.ts'
import { openPackageChanges } from '../testing/package-changes.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

const BEFORE = { cores: '2', memory: '2048', qmp: 'running', waits: [] }
const both =
  (first: Bend, second: Bend): Bend =>
  (steps, kind) =>
    second(first(steps, kind), kind)

describe.each(BOTH_DATABASES)('a change of the package that fails on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const our = await openPackageChanges(t)
  const { hand } = our

  /** The former size, and all of the money. */
  const expectBack = async (server: SoldServer) => {
    expect(await our.credit(server)).toBe(2000)
    expect(await our.sold(server)).toMatchObject({ name: server.name, price: 500 })
    const [order] = await our.changes(server)
    expect(order).toMatchObject({ status: 'cancelled' })
    expect(order?.failure).toContain('is your credit again')
    expect(await our.isBalanced()).toBe(true)
  }

  test.each(['claim', 'remember', 'stop', 'size', 'disk', 'start', 'commit'])(
    'for good at %s leaves the former size and gives the money back',
    async (step) => {
      const server = await our.rich()
      await hand.run(await our.begin(server, 'large'), broken(step))
      await expectBack(server)
      expect(our.inCluster(server)).toMatchObject(BEFORE)
      expect((await our.row(server)).status).toBe('running')
      expect(await our.activity(server)).toContain('instance.package-undone')
      const [job] = (await our.page(server)).jobs
      expect(job?.error).toContain('what you paid for the change is your credit')
      // It can be changed again.
      await hand.runToEnd(await our.begin(server, 'large'))
      expect(our.inCluster(server)).toMatchObject({ cores: '4', memory: '4096' })
    },
  )

  test('because the server was suspended meanwhile gives the money back and stays off', async () => {
    const server = await our.rich()
    const suspend = () =>
      t.db
        .update(instances)
        .set({ suspendedAt: clock.now(), suspendReason: 'Abuse', suspendCause: 'operator' })
        .where(eq(instances.id, server.id))
    await hand.run(await our.begin(server, 'large'), asBegins('start', suspend))
    await expectBack(server)
    expect(our.inCluster(server)).toMatchObject({ ...BEFORE, qmp: 'stopped' })
  })

  test('because the server is gone gives the money back all the same', async () => {
    const server = await our.rich()
    const remove = async () => {
      await t.db
        .update(tokens)
        .set({ assignedInstanceId: null })
        .where(eq(tokens.id, server.tokenId))
      await t.db.update(instances).set({ status: 'deleting' }).where(eq(instances.id, server.id))
    }
    await hand.run(await our.begin(server, 'large'), asBegins('size', remove))
    await expectBack(server)
  })

  test('keeps the money while the cluster is away, and goes on when it answers again', async () => {
    const server = await our.rich()
    const jobId = await our.begin(server, 'large')
    t.sim.faults.add({ kind: 'refuse' })
    await expect(hand.run(jobId)).rejects.toBeInstanceOf(RunAgainError)
    expect(await our.credit(server)).toBe(1400)
    expect((await our.row(server)).status).toBe('updating')
    t.sim.faults.clear()
    await hand.runToEnd(jobId)
    expect(our.inCluster(server)).toMatchObject({ cores: '4', memory: '4096' })
    expect(await our.credit(server)).toBe(1400)
    expect((await our.changes(server))[0]?.status).toBe('active')
  })

  test('whose undoing an operator gave up gives the money back', async () => {
    const server = await our.rich()
    const jobId = await our.begin(server, 'large')
    const stuck: Bend = (steps) =>
      steps.map((step) =>
        step.name === 'size'
          ? {
              ...step,
              async undo({ isGivenUp }) {
                if (!isGivenUp) throw new Error('the cluster does not take the old size')
              },
            }
          : step,
      )
    await expect(hand.run(jobId, both(broken('disk'), stuck))).rejects.toBeInstanceOf(RunAgainError)
    // Size and money are undecided together.
    expect(await our.credit(server)).toBe(1400)
    await t.db.update(jobs).set({ givenUpAt: clock.now() }).where(eq(jobs.id, jobId))
    await hand.run(jobId, stuck)
    await expectBack(server)
    expect(await our.activity(server)).toContain('instance.package-left')
  })

  test('is not earned twice where the order was ended in between', async () => {
    const server = await our.rich()
    const jobId = await our.begin(server, 'large')
    const [order] = await our.changes(server)
    const other = () =>
      t.db
        .update(orders)
        .set({ jobId: 'another' })
        .where(eq(orders.id, order?.id ?? 0))
    await hand.run(jobId, asBegins('commit', other))
    expect(await our.sold(server)).toMatchObject({ name: server.name, price: 500 })
    expect(our.inCluster(server)).toMatchObject(BEFORE)
  })
})

import { describe, expect, test } from 'vitest'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { twice } from '../testing/by-hand.ts'
import { openPackageChanges } from '../testing/package-changes.ts'

const BEFORE = { cores: '2', memory: '2048', gb: '20', qmp: 'running', waits: [] }
const LARGE = { cores: '4', memory: '4096', gb: '40', qmp: 'running', waits: [] }
const LARGE_NAME = 'Large, 4 CPU, 4 GB RAM, 40 GB SSD'

describe.each(BOTH_DATABASES)('a larger package on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const our = await openPackageChanges(t)
  const { hand } = our

  test('is paid from credit, and taken by a stop and a start', async () => {
    const server = await our.rich()
    await our.endsIn(server, 15)
    const jobId = await our.begin(server, 'large')
    // Half of the term is left: half of the difference of $6.00.
    expect(await our.credit(server)).toBe(1700)
    expect(await our.sold(server)).toMatchObject({ price: 500 })
    expect((await our.row(server)).status).toBe('updating')
    await hand.runToEnd(jobId)
    expect(our.inCluster(server)).toEqual(LARGE)
    expect(await our.sold(server)).toMatchObject({ name: LARGE_NAME, price: 1100 })
    const [order] = await our.changes(server)
    expect(order).toMatchObject({ status: 'active', amountCents: 300, creditCents: 300 })
    expect(await our.page(server)).toMatchObject({
      status: 'running',
      packageName: 'Large',
      size: { cpu: 4, ramGb: 4, diskGb: 40 },
      monthlyPrice: '11.00',
    })
    expect((await our.activity(server)).slice(0, 3)).toEqual([
      'instance.package-changed',
      'order.paid',
      'instance.package',
    ])
    expect(await our.isBalanced()).toBe(true)
  })

  test('waits for the next stop and start where its client wants no restart', async () => {
    const server = await our.rich()
    await hand.runToEnd(await our.begin(server, 'large', false))
    expect(our.inCluster(server)).toMatchObject({ cores: '2', memory: '2048', gb: '40' })
    expect(our.inCluster(server).waits).toContain('memory')
    expect((await our.row(server)).status).toBe('running')
    expect(await our.sold(server)).toMatchObject({ price: 1100 })
  })

  test('with more disk alone does not stop the server', async () => {
    const server = await our.rich()
    const started = our.vmOf(server).startedAt
    await hand.runToEnd(await our.begin(server, 'wide', false))
    expect(our.inCluster(server)).toEqual({ ...BEFORE, gb: '40' })
    expect(our.vmOf(server).startedAt).toEqual(started)
  })

  test('is the same with every step done twice', async () => {
    const server = await our.rich()
    await hand.run(await our.begin(server, 'large'), twice)
    expect(our.inCluster(server)).toEqual(LARGE)
    expect(await our.sold(server)).toMatchObject({ name: LARGE_NAME, price: 1100 })
    expect(await our.credit(server)).toBe(1400)
  })

  test('without credit is refused with the sum that is missing, and changes nothing', async () => {
    const server = await our.rich('1.00')
    const { status, body } = await our.ask(server.user, server, 'large')
    expect({ status, body }).toMatchObject({
      status: 409,
      body: {
        message:
          'Your credit does not cover this: $5.00 is missing. Top up your credit in Billing, then change the package.',
      },
    })
    expect(await our.credit(server)).toBe(100)
    expect(await our.changes(server)).toEqual([])
    expect((await our.row(server)).status).toBe('running')
  })

  test('of two presses at once is bought once', async () => {
    const server = await our.rich()
    const both = await Promise.all([1, 2].map(() => our.ask(server.user, server, 'large')))
    expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409])
    await hand.runAll()
    expect(await our.changes(server)).toHaveLength(1)
    expect(await our.credit(server)).toBe(1400)
    expect(our.inCluster(server)).toEqual(LARGE)
  })

  test('lets no renewal in at the old price while it is given', async () => {
    const server = await our.rich('30.00')
    const { end } = await our.sold(server)
    const jobId = await our.begin(server, 'large')
    expect(await our.renew(server)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('is being changed. Try again in some minutes.') },
    })
    await hand.runToEnd(jobId)
    expect((await our.renew(server)).status).toBe(201)
    // $6.00 for the change, $11.00 for the term.
    expect(await our.credit(server)).toBe(1300)
    expect((await our.sold(server)).end).toBe(end + 30 * DAY_MS)
  })

  test.each(Array.from({ length: 3 }, (_, run) => [run]))(
    'and a renewal at the same moment agree on the price, run %i',
    async () => {
      const server = await our.rich('30.00')
      const { end } = await our.sold(server)
      const [change, renewal] = await Promise.all([
        our.ask(server.user, server, 'large'),
        our.renew(server),
      ])
      await hand.runAll()
      const isLonger = (await our.sold(server)).end > end
      expect(change.status).toBe(202)
      expect(isLonger).toBe(renewal.status === 201)
      // Renewed first: $5.00, and the change pays for two terms. Else the renewal was refused.
      expect(await our.credit(server)).toBe(isLonger ? 3000 - 500 - 1200 : 3000 - 600)
      expect(await our.sold(server)).toMatchObject({ price: 1100 })
    },
  )
})

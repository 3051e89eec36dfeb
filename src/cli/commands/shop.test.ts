import { describe, expect, test } from 'vitest'
import { openCommandLine, stage } from '../testing/stage.ts'

const { hushbox } = openCommandLine()

// VM ids are unique in one cluster only.
test('a new server is shown by the id that its order names, if it is still there', async () => {
  const order = { id: 3, status: 'active', amount: '5.00', currency: 'USD', assignedVmId: 105 }
  const server = { id: 7, addresses: [], hostKeys: [], jobs: [], size: {} }
  const replies = [{ order }, { order, serverId: 7 }, server, { order }, { order, serverId: null }]
  const s = await stage(...replies.map((body) => ({ status: 200, body })))
  const made = await hushbox('servers create --offer 9 --wait -o json', s.env)
  expect([made.code, JSON.parse(made.out)], made.err).toEqual([0, server])
  expect(s.asked.at(-1)?.line).toBe('GET /api/instances/7')
  const gone = await hushbox('servers create --offer 9 --wait', s.env)
  expect([gone.code, gone.err]).toEqual([4, expect.stringContaining('its server is gone')])
  s.close()
})

test('a new server is ordered with its coupon', async () => {
  const order = { id: 3, status: 'pending', amount: '4.00', currency: 'USD' }
  const s = await stage({ status: 201, body: { order } })
  const made = await hushbox('servers create --offer 9 --pay credit --coupon SPRING-26', s.env)
  expect(made.code, made.err).toBe(0)
  expect(s.asked.at(-1)?.body).toEqual({ paymentMethod: 'credit', coupon: 'SPRING-26' })
  s.close()
})

describe('an order that is waited for', () => {
  const orderIs = (status: string, failure: string | null = null) => ({
    order: { id: 3, status, failure, amount: '5.00', currency: 'USD' },
    jobId: 'its-job' as string | null,
    serverId: null as number | null,
  })
  const making = orderIs('provisioning')
  const done = { ...orderIs('active'), serverId: 7 }
  const server = { id: 7, addresses: [], hostKeys: [], jobs: [], size: {} }
  const create = async (...bodies: unknown[]) => {
    const s = await stage(...[making, ...bodies].map((body) => ({ status: 200, body })))
    const ended = await hushbox('servers create --offer 9 --wait', s.env)
    s.close()
    return ended
  }

  test('goes on while its job tries again, and shows why it takes longer', async () => {
    const late = orderIs('provisioning', 'This takes longer than usual. We keep trying.')
    const { code, out, err } = await create(late, done, server)
    expect([code, err], err).toEqual([0, 'This takes longer than usual. We keep trying.\n'])
    expect(out).toMatch(/^Id +7$/m)
  })

  test('goes on while the operator prepares its server by hand', async () => {
    const byHand = { ...orderIs('paid', 'Your server is being prepared by hand.'), jobId: null }
    const { code, err } = await create(byHand, done, server)
    expect([code, err], err).toEqual([0, 'Your server is being prepared by hand.\n'])
  })

  test('goes on without the command, once the command has waited long enough', async () => {
    const s = await stage(...[making, making].map((body) => ({ status: 200, body })))
    const { code, err } = await hushbox('servers create --offer 9 --wait --timeout 1', s.env)
    const sentence = 'Not done after 1 s. The work continues on the server.'
    expect([code, err]).toEqual([5, `hushbox: ${sentence}\n`])
    s.close()
  })

  test('shows the progress of its own job, not of another one of the account', async () => {
    const job = (id: string, title: string) => ({ id, title, state: 'running', progress: 0.5 })
    const jobs = [job('another-job', 'Create mail'), job('its-job', 'Create web')]
    const { code, err } = await create(making, jobs, done, server)
    expect([code, err]).toEqual([0, ' 50 %  Create web\n'])
  })

  test.each([
    ['says why it was cancelled', 'cancelled', 'It did not answer. Your money is back.'],
    ['says that it was cancelled', 'cancelled', null],
    ['says why its job failed', 'paid', 'This could not be done. Your payment is safe.'],
  ])('%s', async (_, status, failure) => {
    const { code, out, err } = await create(orderIs(status, failure))
    const sentence = failure ?? 'Order 3 was cancelled.'
    expect([code, out, err]).toEqual([1, '', `hushbox: ${sentence}\n`])
  })
})

import { expect, test } from 'vitest'
import { silentWords } from '#shared/rules/instance/proof-of-life.ts'
import { undeliveredOf } from './undelivered.ts'

const COULD_NOT = 'This could not be done. The operator has been told.'
const job = (error: string | null, id = 'a') => ({ id, title: 'Create mail', error })
const order = (
  status: 'paid' | 'cancelled' | 'active',
  failure: string | null = COULD_NOT,
  amount = '5.00',
) => ({ status, failure, amount })

test('an order that is still paid promises another try, and that the money is not lost', () => {
  expect(undeliveredOf([job(COULD_NOT)], [order('paid')])).toEqual([
    {
      id: 'a',
      title: 'mail could not be created',
      text: `${COULD_NOT} What you paid is not lost: your order stays open and the provider can try again. You may also choose another server.`,
    },
  ])
})

test('a free trial speaks of no payment', () => {
  const [told] = undeliveredOf([job(COULD_NOT)], [order('paid', COULD_NOT, '0.00')])
  expect(told?.text).toBe(
    `${COULD_NOT} Your order stays open and the provider can try again. You may also choose another server.`,
  )
})

test.each([true, false])('a silent server is told of without a promise, paid: %s', (isPaid) => {
  const silent = silentWords({ isPaid })
  const told = undeliveredOf([job(silent)], [order('cancelled', silent), order('paid')])
  expect(told).toEqual([{ id: 'a', title: 'mail could not be created', text: silent }])
})

test('nothing is said any more once the order was refunded or delivered', () => {
  expect(undeliveredOf([job(COULD_NOT)], [order('cancelled')])).toEqual([])
  expect(undeliveredOf([job(COULD_NOT)], [order('active', null)])).toEqual([])
})

test('two failures of one order are told once, and two orders are told twice', () => {
  const failed = [job(COULD_NOT, 'b'), job(COULD_NOT, 'a')]
  const ids = (orders: Parameters<typeof undeliveredOf>[1]) =>
    undeliveredOf(failed, orders).map(({ id }) => id)
  expect(ids([order('paid')])).toEqual(['b'])
  expect(ids([order('paid'), order('paid')])).toEqual(['b', 'a'])
})

test('while the orders are not known, a failure gives its reason and promises nothing', () => {
  expect(undeliveredOf([job(COULD_NOT)], undefined)[0]?.text).toBe(COULD_NOT)
  expect(undeliveredOf([job(null)], undefined)[0]?.text).toBe('Something went wrong on our side.')
})

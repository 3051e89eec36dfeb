import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { testApp } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { openShop } from './testing/shop.ts'

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

// Races for a token, a trial or a VM id run in whole processes: test/faults/one-winner.test.ts.
describe.each(EACH_DATABASE)('concurrent creation of tokens, on %s', async (database) => {
  const t = await testApp({ database, sim: true })
  const shop = await openShop(t)
  const create = (values: Record<string, unknown>) =>
    shop.admin.attempt(api.tokens.create, { body: shop.form(values) })

  test('makes one of twenty with the same address', async () => {
    const query = { nodeId: shop.node.id }
    const { ipAddress } = await shop.admin.call(api.tokens.nextAddress, { query })
    const answers = await Promise.all(times(20, () => create({ ipAddress })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })

  test('makes one of ten with the same MAC, however it is written', async () => {
    const answers = await Promise.all(times(10, () => create({ macAddress: 'bc-24-11-00-00-01' })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.find(({ status }) => status === 409)?.body.message).toBe(
      'Another token has this MAC address.',
    )
  })
})

import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { testApp } from '../../testing/test-app.ts'

const plan = { name: 'Small', cpu: '1 CPU', ram: '2 GB RAM', storage: '40 GB SSD', price: 5.35 }

describe('packages', async () => {
  const t = await testApp()
  const admin = t.as(await t.make.admin())

  test('are created with the defaults and stored in cents', async () => {
    const made = await admin.call(api.packages.create, { body: plan })
    expect(made).toMatchObject({
      ...plan,
      active: true,
      popular: false,
      osOptions: ['Ubuntu 22.04'],
      description: null,
    })
    expect(await admin.call(api.packages.list)).toContainEqual(made)
  })

  test('are shown to visitors if active, cheapest first', async () => {
    await admin.call(api.packages.create, { body: { ...plan, name: 'Cheap', price: 1 } })
    await admin.call(api.packages.create, { body: { ...plan, name: 'Hidden', active: false } })
    const shown = await t.visitor.call(api.packages.public)
    expect(shown.map(({ name }) => name)).toEqual(['Cheap', 'Small'])
    expect(shown[0]).not.toHaveProperty('createdAt')
  })

  test('keep what a change does not name', async () => {
    const made = await admin.call(api.packages.create, { body: { ...plan, popular: true } })
    const changed = await admin.call(api.packages.update, {
      params: { id: made.id },
      body: { price: 0 },
    })
    expect(changed).toMatchObject({ name: 'Small', popular: true, price: 0 })
    await admin.call(api.packages.remove, { params: { id: made.id } })
    const again = await admin.attempt(api.packages.remove, { params: { id: made.id } })
    expect(again).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  })

  test.each([
    [{ ...plan, name: ' ' }, 'Please fill in all required fields.'],
    [{ ...plan, cpu: '' }, 'Please fill in all required fields.'],
    [{ ...plan, price: -1 }, 'Price must be a valid positive number'],
    [{ ...plan, price: 1.005 }, 'Price must have at most two decimals'],
  ])('%j is refused', async (body, message) => {
    const answer = await admin.attempt(api.packages.create, { body })
    expect(answer).toMatchObject({ status: 400, body: { message } })
  })
})

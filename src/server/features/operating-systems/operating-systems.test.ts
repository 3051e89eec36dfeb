import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { testApp } from '../../testing/test-app.ts'

describe('operating systems', async () => {
  const t = await testApp()
  const admin = t.as(await t.make.admin())
  const client = t.as(await t.make.client())
  const create = (name: string) => admin.call(api.operatingSystems.create, { body: { name } })

  test('are added, changed and deleted', async () => {
    const { id } = await create('Debian 13')
    const changed = await admin.call(api.operatingSystems.update, {
      params: { id },
      body: { description: 'Trixie' },
    })
    expect(changed).toMatchObject({ name: 'Debian 13', description: 'Trixie', isActive: true })
    await admin.call(api.operatingSystems.remove, { params: { id } })
    expect(await admin.call(api.operatingSystems.list)).toEqual([])
  })

  test('are shown to a client only if they are on offer', async () => {
    const hidden = await create('Hidden OS')
    await create('Shown OS')
    await admin.call(api.operatingSystems.update, {
      params: { id: hidden.id },
      body: { isActive: false },
    })
    const names = async (who: typeof admin) =>
      (await who.call(api.operatingSystems.list)).map(({ name }) => name)
    expect(await names(client)).toEqual(['Shown OS'])
    expect(await names(admin)).toEqual(['Hidden OS', 'Shown OS'])
  })

  test('need a name that is neither blank nor taken', async () => {
    const blank = await admin.attempt(api.operatingSystems.create, { body: { name: '  ' } })
    expect(blank).toMatchObject({ status: 400, body: { message: 'OS name is required' } })
    const twice = await admin.attempt(api.operatingSystems.create, { body: { name: 'Shown OS' } })
    expect(twice).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  })

  test('cannot be deleted while a package offers them', async () => {
    const { id } = await create('Used OS')
    await admin.call(api.packages.create, {
      body: { name: 'P', cpu: '1', ram: '1', storage: '1', price: 1, osOptions: ['Used OS'] },
    })
    const answer = await admin.attempt(api.operatingSystems.remove, { params: { id } })
    expect(answer).toMatchObject({ status: 409, body: { code: 'IN_USE' } })
    expect(answer.body.message).toContain('1 packages')
    expect((await admin.call(api.operatingSystems.list)).some((os) => os.id === id)).toBe(true)
  })
})

import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { testApp } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'

describe.each(BOTH_DATABASES)('DEVICE_POLICY on %s', async (database) => {
  const t = await testApp({ database, sim: true, withJobs: true, env: { DEVICE_POLICY: 'trial' } })
  const shop = await openShop(t)
  const body = { agreedToTerms: true, deviceMacAddress: 'aa:aa:aa:00:00:01' } as const
  const newcomer = async (deviceMacAddress: string) => {
    const { username, generatedPassword } = await t.visitor.call(api.auth.register, {
      body: { ...body, deviceMacAddress },
    })
    const { cookie } = await t.visitor.attempt(api.auth.login, {
      body: { username, password: generatedPassword },
    })
    return t.with(cookie ?? '')
  }

  test('trial: a known device registers but gets no free trial, and an operator sees which one it is', async () => {
    const [first, second] = [
      await newcomer('aa:aa:aa:00:00:01'),
      await newcomer('aa:aa:aa:00:00:01'),
    ]
    const offers = [
      await shop.token({ monthlyPrice: '0' }),
      await shop.token({ monthlyPrice: '0' }),
      await shop.token({ monthlyPrice: '3.00' }),
    ]
    const [free, other, paid] = offers.map(({ tokenId }) => tokenId)
    const trial = (who: typeof first, tokenId = '') =>
      who.attempt(api.marketplace.trial, { params: { tokenId } })
    expect(await trial(second, other)).toMatchObject({
      status: 409,
      body: { code: 'TRIAL_USED', message: expect.stringContaining('looks like yours') },
    })
    expect((await trial(first, free)).status).toBeLessThan(300)
    const purchase = await second.attempt(api.marketplace.purchase, {
      params: { tokenId: paid ?? '' },
    })
    expect(purchase.status).toBeLessThan(300)
    const listed = await shop.admin.call(api.users.list)
    expect(listed.filter(({ isLookAlike }) => isLookAlike)).toHaveLength(1)
  })

  test('trial: of many concurrent registrations all get an account, and one gets the device', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        t.visitor.attempt(api.auth.register, {
          body: { ...body, deviceMacAddress: 'aa:aa:aa:00:00:02' },
        }),
      ),
    )
    expect(answers.every(({ status }) => status === 201)).toBe(true)
  })
})

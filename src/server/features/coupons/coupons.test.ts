import { eq, like } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { clusterlessTenant, couponShop } from '../../coupons/testing/shop.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { coupons } from '../../db/schema/stock.ts'
import { createParts } from '../../parts.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

describe.each(EACH_DATABASE)('coupons, on %s', async (database) => {
  const shop = await couponShop(database, 'manual')
  const { t, till, clock, admin, make, order, preview, packageId } = shop
  const soon = () => new Date(clock.now().getTime() + MINUTE_MS).toISOString()
  const setOn = (id: number, isOn: boolean) =>
    admin.call(api.coupons.update, { params: { id }, body: { isOn } })
  const remove = (id: number) => admin.attempt(api.coupons.remove, { params: { id } })

  test('are made with a code of the operator, or with one that cannot be guessed', async () => {
    expect(await make({ code: ' spring-26 ' })).toMatchObject({
      code: 'SPRING-26',
      percent: 33,
      amountOff: null,
      state: 'on',
      used: 0,
      packageIds: null,
    })
    const { code } = await make({ amountOff: '2.50' })
    expect(code).toMatch(/^([0-9A-Z]{4}-){3}[0-9A-Z]{4}$/)
    const again = await admin.attempt(api.coupons.create, {
      body: { code: 'SPR1NG26', percent: 5 },
    })
    expect(again).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  })

  test.each([
    [{}, 'either a percentage or an amount'],
    [{ percent: 5, amountOff: '1.00' }, 'either a percentage or an amount'],
    [{ percent: 0 }, 'at least 1 percent'],
    [{ percent: 101 }, 'at most 100 percent'],
    [{ percent: 100 }, 'limit the uses'],
    [{ amountOff: '0.00' }, 'above 0'],
    [{ percent: 5, code: 'A-B-C' }, '4 to 30'],
    [{ percent: 5, maxUses: 0 }, 'at least one use'],
    [{ percent: 5, packageIds: ['none'] }, 'no longer exists'],
    [{ percent: 5, firstOnly: true, renewals: true }, 'never a first purchase'],
    [{ percent: 5, validUntil: '2001-01-01T00:00:00Z' }, 'a day to come'],
    [
      { percent: 5, validFrom: '2099-02-01T00:00:00Z', validUntil: '2099-01-01T00:00:00Z' },
      'after the beginning',
    ],
  ])('%o makes none', async (body, sentence) => {
    const before = await admin.call(api.coupons.list)
    const answer = await admin.attempt(api.coupons.create, { body })
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.body)).toContain(sentence)
    expect(await admin.call(api.coupons.list)).toEqual(before)
  })

  test('every refusal is the same answer, at the preview and at the order', async () => {
    const { id: otherId } = await shop.plan('Other')
    const off = await make()
    await setOn(off.id, false)
    const usedUp = await make({ maxUses: 1 })
    await order(await t.make.client(), usedUp.code)
    const once = await make({ maxPerAccount: 1 })
    const regular = await t.make.client()
    await order(regular, once.code)
    const [first, ended] = [await make({ firstOnly: true }), await make({ validUntil: soon() })]
    const isEnded = eq(coupons.id, ended.id)
    await t.db.update(coupons).set({ validUntil: clock.now() }).where(isEnded)
    const toCome = await make({ validFrom: soon() })
    const elsewhere = await make({ packageIds: [otherId] })
    const wrong = [off, usedUp, ended, toCome, elsewhere].map(({ code }) => code)
    const typed = ['', 'NO-SUCH-CODE', 'x'.repeat(200), `${first.code}X`]
    const answers = new Set<string>()
    const ask = async (who: typeof regular, code: string) => {
      for (const answer of [await preview(who, code), await order(who, code)]) {
        answers.add(JSON.stringify([answer.status, answer.body]))
      }
    }
    for (const code of [...wrong, ...typed]) await ask(await t.make.client(), code)
    for (const { code } of [once, first]) await ask(regular, code)
    const { client, token } = await till.tenant()
    const { code } = await make()
    for (const one of [
      await preview(client, code, { tokenId: token.id }),
      await shop.renew(client, token.id, { coupon: code }),
    ]) {
      answers.add(JSON.stringify([one.status, one.body]))
    }
    expect([...answers]).toEqual([expect.stringContaining('[422,{"code":"INVALID_COUPON"')])
  })

  test('for a package are for its purchase and, if they say so, for its renewal', async () => {
    const { code } = await make({ packageIds: [packageId], renewals: true })
    const client = await t.make.client()
    const { body } = await order(client, code)
    expect(body).toMatchObject({ order: { coupon: code } })
    const stock = await till.stock()
    expect((await preview(client, code, { tokenId: stock.id })).status).toBe(422)
    const { token, client: tenant } = await till.tenant()
    expect((await preview(tenant, code, { tokenId: token.id })).status).toBe(422)
  })

  test('tell nothing of a server that is another client’s', async () => {
    const { code } = await make({ renewals: true })
    const { token } = await till.tenant()
    const stranger = await t.make.client()
    expect((await preview(stranger, code, { tokenId: token.id })).status).toBe(404)
    expect((await shop.renew(stranger, token.id, { coupon: code })).status).toBe(404)
    expect((await preview(stranger, code, {})).status).toBe(400)
    expect((await preview(stranger, code, { packageId, tokenId: token.id })).status).toBe(400)
  })

  test('are switched off and on, and deleted only while no order has them', async () => {
    const [unused, used] = [await make(), await make()]
    const client = await t.make.client()
    const { body } = await order(client, used.code)
    expect(await setOn(used.id, false)).toMatchObject({ isOn: false, state: 'off', reserved: 1 })
    expect((await till.order(body.order.id)).amountCents).toBe(669)
    expect(await setOn(used.id, true)).toMatchObject({ state: 'on' })
    await t.as(client).call(api.billing.cancel, { params: { id: body.order.id } })
    expect(await remove(used.id)).toMatchObject({ status: 409, body: { code: 'IN_USE' } })
    expect((await remove(unused.id)).status).toBe(204)
    expect((await remove(unused.id)).status).toBe(404)
    const rows = await t.db.select().from(auditLog).where(like(auditLog.action, 'coupon.%'))
    const actions = rows.flatMap(({ action, target }) =>
      target === `coupon:${unused.id}` || target === `coupon:${used.id}` ? [action] : [],
    )
    expect(actions.toSorted()).toEqual([
      'coupon.create',
      'coupon.create',
      'coupon.delete',
      'coupon.switch-off',
      'coupon.switch-on',
    ])
  })

  test('are made by the staff who handle money, and by no others', async () => {
    for (const role of ['support', 'viewer', 'client'] as const) {
      const one = t.as(await t.make.client({ role }))
      expect((await one.attempt(api.coupons.list)).status).toBe(403)
      const body = { percent: 5 }
      expect((await one.attempt(api.coupons.create, { body })).status).toBe(403)
    }
    const billing = t.as(await t.make.client({ role: 'billing' }))
    expect((await billing.attempt(api.coupons.create, { body: { percent: 5 } })).status).toBe(201)
  })
})

describe.each(EACH_DATABASE)('guessing coupons, on %s', async (database) => {
  const clock = testClock()
  const env = { RATE_LIMIT_SCALE: '1', PAYMENT_PROVIDER: 'manual' }
  const t = await testApp({ database, clock, env })
  const admin = t.as(await t.make.admin())
  const { code } = await admin.call(api.coupons.create, { body: { percent: 5, renewals: true } })
  const tenant = async () => {
    const { client, tokenId: id } = await clusterlessTenant(t, clock)
    const preview = async (typed: string) => {
      const body = { code: typed, tokenId: id }
      return (await t.as(client).attempt(api.coupons.preview, { body })).status
    }
    const renew = async (body: { coupon?: string }) =>
      (await t.as(client).attempt(api.client.renew, { params: { id }, body })).status
    return { client, id, preview, renew }
  }

  test('is limited by account, for the preview and the order together', async () => {
    const [guesser, honest] = [await tenant(), await tenant()]
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await guesser.preview('AAAA')).toBe(422)
      expect(await guesser.renew({ coupon: 'AAAA' })).toBe(422)
    }
    expect(await guesser.preview(code)).toBe(429)
    expect(await guesser.renew({ coupon: code })).toBe(429)
    expect(await guesser.renew({})).toBe(201)
    expect(await honest.renew({ coupon: code })).toBe(201)
    // Another process counts the same tries.
    if (database === 'embedded') return
    const { renewals } = createParts(t.deps)
    const actor = { user: { id: guesser.client.id } } as Parameters<typeof renewals.renew>[0]
    await expect(renewals.renew(actor, guesser.id, { coupon: code })).rejects.toMatchObject({
      code: 'TOO_MANY_REQUESTS',
    })
  })

  test('a code that is valid is tried as often as one likes', async () => {
    const { preview } = await tenant()
    for (let tries = 0; tries < 12; tries += 1) expect(await preview(code)).toBe(200)
  })
})

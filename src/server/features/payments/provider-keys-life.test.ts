import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { verifyBackup, writeBackup } from '../../backup/backup.ts'
import { restoreBackup } from '../../backup/restore.ts'
import { createParts } from '../../parts.ts'
import { openSetupTill } from '../../payments/testing/setup-till.ts'
import { startStripe } from '../../payments/testing/stripe-stand-in.ts'
import { readProviderRows, rowOf } from '../../payments/ways/provider-rows.ts'
import { createKeyring } from '../../secrets/keyring.ts'
import { rotateSecrets } from '../../secrets/sealed-columns.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES, testDb } from '../../testing/test-db.ts'

/** The key of every application that tests make. */
const KEY = 'a key for tests, long enough to be one'
const NEXT = 'another key, which is also long enough'
const folder = tempFolder('keys')
const clock = testClock()
const stripe = await startStripe({ clock })
const other = await startStripe({ clock, secretKey: 'sk_test_other', webhookSecret: 'whsec_other' })
const secret = stripe.env.STRIPE_SECRET_KEY
afterAll(async () => {
  await stripe.close()
  await other.close()
})

describe.each(BOTH_DATABASES)('the life of entered keys, on %s', async (database) => {
  const till = await openSetupTill({ database, clock })
  const { t, hand, owner, enter, turn, remove, renew, setup, offered } = till
  await enter(stripe)

  test('the last way to pay cannot be turned off', async () => {
    const answer = await turn('stripe', false)
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({ message: expect.stringContaining('At least one way') })
    expect(await offered()).toContain('card')
    expect((await turn('manual', true)).status).toBe(200)
  })

  test('one that is turned off is not offered, and what is open there is settled and refunded', async () => {
    const { order, payment } = await renew('card')
    expect((await turn('stripe', false)).body).toMatchObject({ isOffered: false, openPayments: 1 })
    expect(await offered()).toEqual(['manual', 'credit'])
    await till.deliver(await stripe.pay(payment.providerPaymentId), 'stripe')
    await hand.work()
    expect((await till.order(order.id)).status).toBe('active')
    const { refundable } = await owner().call(api.orders.details, { params: { id: order.id } })
    expect(refundable.byProvider).toBe(true)
    await turn('stripe', true)
  })

  test('one that does not answer is not turned on', async () => {
    await turn('stripe', false)
    stripe.faults.isAway = true
    expect((await turn('stripe', true)).status).toBe(503)
    stripe.faults.isAway = false
    expect(await offered()).not.toContain('card')
    expect((await turn('stripe', true)).status).toBe(200)
  })

  test('keys of another account are refused while a payment is open, others replace them', async () => {
    const { payment } = await renew('card')
    const answer = await enter(other)
    expect(answer.status).toBe(409)
    expect(answer.body.message).toContain('These keys are of another account')
    expect((await enter(stripe, { STRIPE_WEBHOOK_SECRET: 'whsec_new' })).status).toBe(200)
    const report = await stripe.pay(payment.providerPaymentId)
    expect((await till.deliver(report, 'stripe')).status).toBe(401)
    expect((await enter(stripe)).status).toBe(200)
    expect((await till.deliver(report, 'stripe')).status).toBe(200)
    await hand.work()
  })

  test('keys are removed once they are turned off and nothing needs them', async () => {
    const { order } = await renew('card')
    expect((await remove('stripe')).body).toMatchObject({ message: 'Turn it off first.' })
    await turn('stripe', false)
    const refused = await remove('stripe')
    expect(refused.body).toMatchObject({ code: 'IN_USE' })
    clock.advance(2 * HOUR_MS)
    await hand.lapse()
    await stripe.expire((await till.paymentOf(order.id)).providerPaymentId)
    await hand.poll()
    // A late payment is still noticed for a day.
    expect((await till.paymentOf(order.id)).status).toBe('expired')
    expect((await remove('stripe')).body).toMatchObject({ code: 'IN_USE' })
    clock.advance(2 * DAY_MS)
    expect(await setup('stripe')).toMatchObject({ setBy: 'settings', openPayments: 0 })
    expect((await remove('stripe')).body).toMatchObject({ setBy: null, savedAt: null })
    expect((await remove('stripe')).status).toBe(404)
    const { named } = await createParts(t.deps).providers.now(t.db)
    expect(named('stripe')).toBeUndefined()
  })

  test('test mode does not come back when the keys are gone', async () => {
    expect(await offered()).toEqual(['manual', 'credit'])
    expect((await enter(stripe)).status).toBe(200)
  })

  test('a backup holds the keys sealed, and a restored one opens them', async () => {
    const file = join(folder, `${database}.backup`)
    await writeBackup(t.database, KEY, file)
    await verifyBackup(file, [KEY])
    expect(readFileSync(file).includes(secret)).toBe(false)
    const to = await testDb(database)
    await to.db.execute(sql`drop schema public cascade`)
    await to.db.execute(sql`create schema public`)
    await restoreBackup(to, { file, secrets: [KEY], isForced: false })
    const row = rowOf(await readProviderRows(to.db, createKeyring(KEY)), 'stripe')
    expect(row?.fields?.STRIPE_SECRET_KEY).toBe(secret)
  })

  test('keys that cannot be opened take their provider away with a reason, and nothing else', async () => {
    const { order, payment } = await renew('card')
    const report = await stripe.pay(payment.providerPaymentId)
    await rotateSecrets(t.db, createKeyring(NEXT, KEY))
    const at = createParts(t.deps)
    const { offered: usable, named } = await at.providers.now(t.db)
    expect(usable.map(({ name }) => name)).toEqual([])
    await expect(named('stripe')?.check()).rejects.toThrow(/sealed with another SECRET_KEY/)
    // The provider is told to report again, and the money is not taken for nothing of ours.
    expect((await till.deliver(report, 'stripe')).status).toBe(503)

    const keyring = createKeyring(NEXT)
    const healed = createParts({ ...t.deps, keyring })
    expect((await healed.ways.offered(t.db)).map(({ id }) => id)).toContain('card')
    const headers = { 'stripe-signature': '', ...report.headers }
    await healed.webhooks.receive('stripe', Buffer.from(report.payload), headers)
    await healed.poll.run()
    expect((await till.order(order.id)).status).toBe('active')
  })
})

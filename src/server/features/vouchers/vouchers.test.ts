import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { createAudit } from '../../audit/audit-log.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { ledger, vouchers } from '../../db/schema/ledger.ts'
import { statement } from '../../ledger/statement.ts'
import { createLimiters } from '../../limits/limiters.ts'
import { createKeyring } from '../../secrets/keyring.ts'
import { rotateSecrets } from '../../secrets/sealed-columns.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'
import { vouchersService } from './vouchers.service.ts'

const SAME = { status: 422, body: { code: 'INVALID_VOUCHER' } }

describe.each(EACH_DATABASE)('vouchers, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ database, clock, env: { RATE_LIMIT_SCALE: '1' } })
  const admin = t.as(await t.make.admin())

  const make = async (more: { count?: number; expiresAt?: string; note?: string } = {}) => {
    const made = await admin.call(api.vouchers.create, {
      body: { count: 1, amount: '5.00', note: null, ...more },
    })
    const [first] = made.vouchers
    if (!first) throw new Error('no voucher was made')
    return { ...first, made }
  }
  const redeem = (person: ReturnType<typeof t.as>, code: string) =>
    person.attempt(api.vouchers.redeem, { body: { code } })
  const someone = async () => t.as(await t.make.client())
  const creditOf = async (person: ReturnType<typeof t.as>) =>
    (await person.call(api.billing.overview)).credit

  test('a voucher becomes credit once, and the ledger balances', async () => {
    const { code } = await make()
    const client = await someone()
    expect(await redeem(client, code)).toMatchObject({
      status: 200,
      body: { amount: '5.00', credit: '5.00' },
    })
    expect(await redeem(client, code)).toMatchObject(SAME)
    expect(await redeem(await someone(), code)).toMatchObject(SAME)
    expect(await creditOf(client)).toBe('5.00')
    expect(await statement(t.db)).toMatchObject({ vouchers: 500, isBalanced: true })
  })

  test('a code may be typed as people type', async () => {
    const { code } = await make()
    const typed = ` ${code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}`
    expect((await redeem(await someone(), typed)).status).toBe(200)
  })

  test('twenty clients at once: one gets it', async () => {
    const { code } = await make()
    const people = await Promise.all(Array.from({ length: 20 }, someone))
    const answers = await Promise.all(people.map((person) => redeem(person, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(19)
    expect((await statement(t.db)).isBalanced).toBe(true)
  })

  test('every refusal is the same answer', async () => {
    const end = new Date(clock.now().getTime() + MINUTE_MS).toISOString()
    const expired = await make({ expiresAt: end })
    const withdrawn = await make()
    await admin.call(api.vouchers.remove, { params: { id: withdrawn.id } })
    const used = await make()
    await redeem(await someone(), used.code)
    clock.advance(MINUTE_MS)
    const mistyped = used.code.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    const answers: unknown[] = []
    for (const code of [expired.code, withdrawn.code, used.code, mistyped, '', 'x'.repeat(200)]) {
      const { status, body } = await redeem(await someone(), code)
      answers.push([status, body.code, body.message])
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toEqual([422, 'INVALID_VOUCHER', expect.any(String)])
  })

  test('the same press again has one effect and the same answer', async () => {
    const { code } = await make()
    const client = await t.make.client()
    const press = () =>
      t.as(client).send({
        method: 'POST',
        url: '/api/client/vouchers/redeem',
        headers: { 'idempotency-key': `press-${client.id}` },
        payload: { code },
      })
    const [first, second] = [await press(), await press()]
    expect([first.statusCode, second.statusCode]).toEqual([200, 200])
    expect(second.body).toBe(first.body)
    expect(await creditOf(t.as(client))).toBe('5.00')
  })

  test('guessing is limited by account, so nobody is locked out by another', async () => {
    const guesser = await someone()
    const honest = await someone()
    const { code } = await make()
    for (let tries = 0; tries < 10; tries += 1) {
      expect((await redeem(guesser, 'AAAA')).status).toBe(422)
    }
    expect((await redeem(guesser, code)).status).toBe(429)
    expect((await redeem(honest, code)).status).toBe(200)
  })

  test('the limit holds over two processes', async () => {
    if (database === 'embedded') return
    const client = await t.make.client()
    const guesser = t.as(client)
    const { code } = await make()
    for (let tries = 0; tries < 10; tries += 1) await redeem(guesser, 'AAAA')
    const other = vouchersService({
      ...t.deps,
      audit: createAudit(clock),
      limiters: createLimiters(t.deps),
    })
    const actor = { user: { id: client.id } } as Parameters<typeof other.redeem>[0]
    await expect(other.redeem(actor, code)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  })

  test('neither codes nor who used them are stored', async () => {
    const { code, id } = await make()
    const client = await t.make.client()
    await redeem(t.as(client), code)
    const [row] = await t.db.select().from(vouchers).where(eq(vouchers.id, id))
    const stored = JSON.stringify([
      row,
      await t.db.select().from(ledger),
      await t.db.select().from(auditLog),
    ])
    expect(stored).not.toContain(code)
    expect(stored).not.toContain(code.replaceAll('-', ''))
    expect(Object.keys(row ?? {})).not.toContain('userId')
    expect(stored).not.toContain(`voucher:${id}`)
  })

  test('operators make batches, filter them, and withdraw only what is unused', async () => {
    const { made } = await make({ count: 3, note: 'market' })
    const [first, second] = made.vouchers
    await redeem(await someone(), first?.code ?? '')
    const ofBatch = async (state?: 'used' | 'unused' | 'expired') =>
      (await admin.call(api.vouchers.list, { query: state ? { state } : {} }))
        .filter(({ batch }) => batch === made.batch)
        .map(({ id }) => id)
    expect(await ofBatch()).toHaveLength(3)
    expect(await ofBatch('used')).toEqual([first?.id])
    const remove = (id = 0) => admin.attempt(api.vouchers.remove, { params: { id } })
    expect((await remove(first?.id)).status).toBe(409)
    expect((await remove(second?.id)).status).toBe(204)
    expect((await remove(second?.id)).status).toBe(404)
    expect(await ofBatch('unused')).toHaveLength(1)
  })

  test.each([
    [{ count: 0 }, 'at least one'],
    [{ count: 501 }, 'at most 500'],
    [{ amount: '0.00' }, 'above 0'],
    [{ amount: '-5' }, 'positive number'],
    [{ expiresAt: 'soon' }, 'such as'],
    [{ expiresAt: '2001-01-01T00:00:00Z' }, 'a day to come'],
  ])('%o makes none', async (wrong, sentence) => {
    const before = await admin.call(api.vouchers.list)
    const body = { count: 1, amount: '5.00', note: null, ...wrong }
    const answer = await admin.attempt(api.vouchers.create, { body })
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.body)).toContain(sentence)
    expect(await admin.call(api.vouchers.list)).toEqual(before)
  })

  test('printed vouchers stay valid when the key of the house changes', async () => {
    const { code } = await make()
    const secret = 'another-secret-of-the-house-0123456789'
    const next = createKeyring(secret, 'a key for tests, long enough to be one')
    expect((await rotateSecrets(t.db, next)).count).toBeGreaterThan(0)
    const later = vouchersService({
      ...t.deps,
      keyring: next,
      audit: createAudit(clock),
      limiters: createLimiters(t.deps),
    })
    const client = await t.make.client()
    const actor = { user: { id: client.id } } as Parameters<typeof later.redeem>[0]
    expect((await later.redeem(actor, code)).amount).toBe('5.00')
  })
})

import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { tokens } from '../../db/schema/stock.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { openPassword } from '../../tokens/token-rows.ts'
import { byHand } from '../testing/by-hand.ts'
import { openShop } from '../testing/shop.ts'

const LAPSE_MS = 31 * 60_000
const RUNS = process.env.LONG === '1' ? 100 : 12
const VM_WITH_AGENT = 100

describe.each(BOTH_DATABASES)('the secrets of a server on %s', async (database) => {
  const clock = testClock()
  const env = { PAYMENT_PROVIDER: 'manual' }
  const t = await testApp({ sim: true, withJobs: true, database, clock, env })
  const shop = await openShop(t)
  const hand = byHand(t)

  const buy = async (who: ReturnType<typeof t.as>, tokenId: string) =>
    await who.attempt(api.marketplace.purchase, { params: { tokenId } })
  const pay = async (orderId: number) => {
    const params = { id: orderId }
    await shop.admin.call(api.orders.update, { params, body: { status: 'paid' } })
    const { jobId } = await shop.orderRow(orderId)
    return await shop.ended(jobId ?? undefined)
  }
  const lapse = async () => {
    clock.advance(LAPSE_MS)
    await hand.lapse()
  }
  /** Everything that the calls of a client's pages return. */
  const told = async (who: ReturnType<typeof t.as>): Promise<string> =>
    JSON.stringify([
      await who.call(api.client.tokens),
      await who.call(api.client.instances),
      await who.call(api.marketplace.tokens),
      await who.call(api.billing.overview),
      await who.call(api.jobs.list),
    ])
  const readyToken = async (vmId = VM_WITH_AGENT) => {
    // The clock of this test has moved, so the last poll is too old to sell by.
    await t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
    const vm = await shop.vm(vmId)
    const place = { nodeId: vm.nodeId, templateId: null, instanceId: vm.id, ipAddress: null }
    const domain = 'ready.example.org'
    return await shop.token({ tokenType: 'ready', ...place, domain, username: 'keeper' })
  }

  test.each(['ip_mac', 'ready'] as const)(
    'an unpaid claim of a token of type %s shows nothing that leads to its server',
    async (type) => {
      const made = type === 'ready' ? await readyToken() : await shop.token({ username: 'keeper' })
      const client = t.as(await t.make.client())
      expect(await buy(client, made.tokenId)).toMatchObject({ status: 201 })
      const row = await shop.tokenRow(made.id)
      const answers = await told(client)
      const secrets = [row.ipAddress, row.domain, row.username, 'first-password']
      for (const secret of secrets.filter((one) => one !== null)) {
        expect(answers).not.toContain(secret)
      }
      expect(await client.call(api.client.tokens)).toMatchObject([
        { id: made.id, username: '', password: '', ipAddress: null, proxmoxVmId: null },
      ])
      await lapse()
      await shop.admin.call(api.tokens.remove, { params: { id: made.id } })
    },
  )

  test('a ready server whose guest accepts no new password is not handed over and waits for an operator', async () => {
    const made = await readyToken()
    const client = t.as(await t.make.client())
    const { body: sale } = await buy(client, made.tokenId)
    t.sim.faults.add({ kind: '403', path: /agent\/set-user-password/, message: 'no such right' })
    expect(await pay(sale.order.id)).toMatchObject({ state: 'failed' })
    t.sim.faults.clear()
    // The money is held, both sides see the reason, and the token is not on sale.
    expect(await shop.orderRow(sale.order.id)).toMatchObject({
      status: 'paid',
      failure: expect.stringContaining('did not accept a new password'),
    })
    expect(await told(client)).not.toContain('first-password')
    const shown = (await shop.admin.call(api.tokens.list)).find(({ id }) => id === made.id)
    expect(shown).toMatchObject({ status: 'ready', problem: expect.stringContaining('agent') })
    const other = await buy(t.as(await t.make.client()), made.tokenId)
    expect(other).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
    const attention = await shop.admin.call(api.dashboard.attention)
    expect(attention.map(({ kind }) => kind)).toContain('paid-orders')
    // The operator repairs the guest and retries.
    const params = { id: sale.order.id }
    await shop.admin.call(api.orders.update, { params, body: { status: 'provisioning' } })
    const { jobId } = await shop.orderRow(sale.order.id)
    expect(await shop.ended(jobId ?? undefined)).toMatchObject({ state: 'done' })
    const row = await shop.tokenRow(made.id)
    expect(row).toMatchObject({ status: 'assigned', blocked: null })
    expect(openPassword(t.deps.keyring, row)).not.toBe('first-password')
  })

  const ACTS = [
    'A claims',
    'B claims',
    'C claims',
    'it lapses',
    'it is paid',
    'owner cancels',
  ] as const

  test(`no two clients ever see the same password, in ${RUNS} runs`, {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...ACTS), { minLength: 3, maxLength: 8 }),
        async (acts) => {
          const people = [await t.make.client(), await t.make.client(), await t.make.client()]
          const made = await shop.token()
          const seenBy = new Map<string, number>()
          let order: { id: number; of: number } | undefined
          for (const act of acts) {
            const who = 'ABC'.indexOf(act.charAt(0))
            const buyer = people[who]
            if (buyer && act.endsWith('claims')) {
              const { status, body } = await buy(t.as(buyer), made.tokenId)
              if (status === 201) order = { id: body.order.id, of: buyer.id }
            }
            if (act === 'it lapses') await lapse()
            if (act === 'it is paid' && order) await payIfOpen(order.id)
            if (act === 'owner cancels') await cancel(made.id)
            for (const person of people) await look(person, made.id, seenBy)
          }
        },
      ),
      { numRuns: RUNS },
    )
  })

  const payIfOpen = async (orderId: number) => {
    if ((await shop.orderRow(orderId)).status === 'pending') await pay(orderId)
  }
  const cancel = async (id: number) => {
    const { assignedUserId } = await shop.tokenRow(id)
    const owner = { id: assignedUserId ?? 0, role: 'client' }
    if (assignedUserId !== null) await t.as(owner).attempt(api.client.cancel, { params: { id } })
  }
  const look = async (
    person: { id: number; role: string },
    id: number,
    seenBy: Map<string, number>,
  ) => {
    const answers = await told(t.as(person))
    const [row] = await t.db.select().from(tokens).where(eq(tokens.id, id))
    if (!row) return
    const password = openPassword(t.deps.keyring, row)
    if (!answers.includes(password)) return
    expect(row).toMatchObject({ assignedUserId: person.id })
    expect(['assigned', 'expired']).toContain(row.status)
    const paid = await t.as(person).call(api.billing.overview)
    expect(paid.orders.some(({ status }) => status === 'active')).toBe(true)
    expect(seenBy.get(password) ?? person.id).toBe(person.id)
    expect(password).not.toBe('first-password')
    seenBy.set(password, person.id)
  }
})

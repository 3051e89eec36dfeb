import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createAudit } from '../../audit/audit-log.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { VM_PASSWORD } from '../../testing/factories.ts'
import { testApp } from '../../testing/test-app.ts'
import { openPassword, type TokenRow } from '../../tokens/token-rows.ts'
import { claimStep, claimToken } from './claim-step.ts'

describe('the claim of a token', async () => {
  const t = await testApp()
  const { run, undo } = claimStep({ ...t.deps, audit: createAudit(t.deps.clock) })

  /** A client's order for a token, and the first step of the job that delivers it. */
  const sold = async (order: Partial<OrderRow>, token: Partial<TokenRow> = {}) => {
    const client = await t.make.client()
    const isClaimed = token.status === 'pending'
    const { id: tokenId } = await t.make.token({
      ...token,
      assignedUserId: isClaimed ? client.id : null,
    })
    const [row] = await t.db
      .insert(orders)
      .values({ userId: client.id, planName: 'Small', amountCents: 500, tokenId, ...order })
      .returning()
    const orderId = row?.id ?? 0
    const input = { orderId, tokenId, userId: client.id, name: 'Small' }
    const context = (jobId: string, isGivenUp = false) => ({
      jobId,
      input,
      isGivenUp,
      output: () => undefined,
      progress: async () => undefined,
    })
    return {
      client,
      run: (jobId: string) => run(context(jobId)),
      undo: (jobId: string, isGivenUp?: boolean) => undo?.(context(jobId, isGivenUp)),
      order: async () => (await t.db.select().from(orders).where(eq(orders.id, orderId)))[0],
      token: async () => {
        const [found] = await t.db.select().from(tokens).where(eq(tokens.id, tokenId))
        if (!found) throw new Error('the token is gone')
        return found
      },
    }
  }
  const PROVISIONING = { status: 'provisioning', jobId: 'job 1' } as const
  const CLAIMED = { status: 'pending' } as const

  test('never takes a token that belongs to somebody, whatever its state', async () => {
    const [owner, other] = [await t.make.client(), await t.make.client()]
    const token = await t.make.token({ status: 'available', assignedUserId: owner.id })
    const claim = { userId: other.id, now: new Date() }
    expect(await claimToken(t.db, eq(tokens.id, token.id), claim)).toBeUndefined()
    const [row] = await t.db.select().from(tokens).where(eq(tokens.id, token.id))
    expect(row).toMatchObject({ status: 'available', assignedUserId: owner.id })
  })

  test('by a retried job sets a new password, because the last one may be known', async () => {
    const sale = await sold({ status: 'paid', failure: 'It could not be done.' })
    await sale.run('job 1')
    expect(await sale.order()).toMatchObject({ ...PROVISIONING, failure: null })
    const token = await sale.token()
    expect(token).toMatchObject({ status: 'pending', assignedUserId: sale.client.id })
    expect(openPassword(t.deps.keyring, token)).not.toBe(VM_PASSWORD)
  })

  test('is not repeated by the job that already has it', async () => {
    const sale = await sold(PROVISIONING, CLAIMED)
    const before = await sale.token()
    await sale.run('job 1')
    expect(await sale.token()).toEqual(before)
    await expect(sale.run('job 2')).rejects.toMatchObject({ code: 'TOKEN_TAKEN' })
  })

  test('is undone only by the job that has it', async () => {
    const sale = await sold(PROVISIONING, CLAIMED)
    await sale.undo('job 2')
    expect(await sale.order()).toMatchObject({ ...PROVISIONING, failure: null })
    expect(await sale.token()).toMatchObject({ status: 'pending' })
    await sale.undo('job 1')
    expect(await sale.order()).toMatchObject({ status: 'paid', failure: expect.any(String) })
    expect(await sale.token()).toMatchObject({ status: 'available', assignedUserId: null })
  })

  test('leaves the token off sale if an operator gave up removing its VM, which may use its address', async () => {
    const sale = await sold(PROVISIONING, CLAIMED)
    await sale.undo('job 1', true)
    expect(await sale.order()).toMatchObject({ status: 'paid' })
    expect(await sale.token()).toMatchObject({ status: 'cancelled', assignedUserId: null })
  })
})

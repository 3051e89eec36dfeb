import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { TokenStatus } from '#shared/api/shop/tokens.ts'
import { canMoveToken } from '#shared/rules/token/token-status.ts'
import { tokens } from '../db/schema/stock.ts'
import { testApp } from '../testing/test-app.ts'
import { moveTokens } from './move-token.ts'

const STATES = TokenStatus.options
const PAIRS = STATES.flatMap((from) => STATES.map((to) => [from, to] as const))

describe('moving a token', async () => {
  const t = await testApp()
  const now = new Date('2026-11-16T00:00:00.000Z')
  const dated = (status: TokenStatus) => (status === 'cancelled' ? now : null)
  const tokenIn = (status: TokenStatus) => t.make.token({ status, cancelledAt: dated(status) })
  const rowOf = async (id: number) =>
    (await t.db.select().from(tokens).where(eq(tokens.id, id))).at(0)

  test.each(PAIRS)('from %s to %s is allowed only by the rules', async (from, to) => {
    const { id } = await tokenIn(from)
    const target = to === 'cancelled' ? { to, now } : { to }
    const moved = await moveTokens(t.db, eq(tokens.id, id), target)
    const isAllowed = canMoveToken(from, to)
    expect(moved.map((row) => row.id)).toEqual(isAllowed ? [id] : [])
    const status = isAllowed ? to : from
    expect(await rowOf(id)).toMatchObject({ status, cancelledAt: dated(status) })
  })

  test('selects only tokens in the named states', async () => {
    const { id } = await tokenIn('assigned')
    const which = eq(tokens.id, id)
    expect(await moveTokens(t.db, which, { to: 'cancelled', from: ['pending'], now })).toEqual([])
    expect(await rowOf(id)).toMatchObject({ status: 'assigned' })
  })

  test('the database refuses a cancellation date without the state, and the state without the date', async () => {
    const { id } = await tokenIn('assigned')
    const set = (values: { status?: TokenStatus; cancelledAt?: Date }) =>
      t.db.update(tokens).set(values).where(eq(tokens.id, id))
    for (const values of [{ cancelledAt: now }, { status: 'cancelled' as const }]) {
      await expect(set(values)).rejects.toMatchObject({
        cause: { message: expect.stringContaining('tokens_cancelled') },
      })
    }
  })
})

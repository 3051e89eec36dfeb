import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { moneroPayments } from '../../../db/schema/ledger.ts'
import { statement } from '../../../ledger/statement.ts'
import { testClock } from '../../../testing/test-app.ts'
import { converse, shapeOf } from '../../testing/monero/conversation.ts'
import { type MoneroTill, openMoneroTill } from '../../testing/monero/monero-till.ts'
import { hasMonero, startRealMonero } from '../../testing/monero/real-monero.ts'
import { RECORDINGS, recorded } from '../../testing/monero/recorded.ts'

const LONG = { timeout: 600_000 }

/** Debian's monero, on a chain of its own; skipped where it is not installed. */
describe.skipIf(!hasMonero)('on a real chain', LONG, async () => {
  if (!hasMonero) return
  // The chain has the time of this machine.
  const clock = testClock(new Date())
  const chain = await startRealMonero()
  afterAll(() => chain.close())
  const till = await openMoneroTill(chain, { clock })
  const { t, bought, hand } = till

  test('an exact payment is seen, confirmed and settled', LONG, async () => {
    const { address, due, heard } = await bought('purchase')
    expect((await heard()).checkout).toMatchObject({ state: 'pending', progress: null })
    await chain.pay(address, due)
    expect((await heard()).checkout).toMatchObject({
      state: 'confirming',
      seen: '5.00',
      progress: { confirmations: 0, needed: 1 },
    })
    await chain.mine(1)
    expect((await heard()).payments).toMatchObject([{ status: 'paid', received: '5.00' }])
  })

  test('two parts pay together, and too much becomes credit', LONG, async () => {
    const parts = await bought('purchase')
    const more = await bought('purchase')
    await chain.pay(parts.address, 20_000_000_000n)
    await chain.pay(more.address, more.due + 20_000_000_000n)
    expect((await parts.heard()).checkout).toMatchObject({ seen: '3.00', left: '2.00' })
    expect((await more.look()).checkout).toMatchObject({ seen: '8.00', left: '0.00' })
    await chain.mine(1)
    expect((await parts.heard()).checkout).toMatchObject({ state: 'pending', left: '2.00' })
    expect((await more.look()).payments).toMatchObject([{ status: 'paid', received: '8.00' }])
    expect(await more.credit()).toBe('3.00')
    await chain.pay(parts.address, parts.due - 20_000_000_000n)
    await chain.mine(1)
    expect((await parts.heard()).payments).toMatchObject([{ status: 'paid', received: '5.00' }])
  })

  test(
    'three confirmations are counted, and blocks that are replaced take them back',
    LONG,
    async () => {
      const { address, due, heard, credit } = await bought('renewal')
      await chain.pay(address, due * 8n)
      await chain.mine(2)
      expect((await heard()).checkout).toMatchObject({
        state: 'confirming',
        progress: { confirmations: 2, needed: 3 },
      })
      await chain.popBlocks(2)
      await chain.emptyPool()
      await chain.mine(3)
      expect((await heard()).checkout).toMatchObject({ state: 'pending', seen: '0.00' })
      expect(await credit()).toBe('0.00')
    },
  )

  test('coins that are locked for a time are not seen', LONG, async () => {
    const { address, due, heard } = await bought('renewal')
    await chain.pay(address, due, { unlockTime: 100_000 })
    await chain.mine(2)
    expect((await heard()).checkout).toMatchObject({ state: 'pending', seen: '0.00' })
  })

  test('a restored wallet finds its addresses and the money on them', LONG, async () => {
    const { address, due, heard, index } = await bought('renewal')
    await chain.restore()
    const next = await bought('renewal')
    expect(next.index).toBeGreaterThan(index)
    await chain.pay(address, due)
    await chain.mine(1)
    expect((await heard()).payments).toMatchObject([{ status: 'paid' }])
  })

  test('what comes too late becomes credit', LONG, async () => {
    const { address, due, heard, credit } = await bought('purchase')
    // The chain keeps its time: the reservation ended an hour ago for it too.
    await endedAnHourAgo(till, address)
    clock.advance(31 * MINUTE_MS)
    await hand.lapse()
    await chain.pay(address, due)
    expect((await heard()).payments).toMatchObject([{ status: 'expired', seen: '5.00' }])
    await chain.mine(1)
    await heard()
    expect(await credit()).toBe('5.00')
    expect((await statement(t.db)).isBalanced).toBe(true)
  })

  /** What stands in for a wallet is held against these answers, so they are held against the wallet. */
  test('Debian’s wallet answers as it was recorded', LONG, async () => {
    await chain.openOther()
    // The last test here: it ends without the daemon.
    const lose = () => chain.stopDaemon()
    const exchanges = await converse(chain, { restore: () => chain.restore(), lose })
    if (process.env.RECORD === '1') {
      const of = execFileSync('/usr/bin/monero-wallet-rpc', ['--version'], { encoding: 'utf8' })
      const text = `${JSON.stringify({ of: of.trim(), exchanges }, undefined, 2)}\n`
      writeFileSync(RECORDINGS, text)
    }
    expect(exchanges.map(({ answer }) => shapeOf(answer))).toEqual(
      recorded().exchanges.map(({ answer }) => shapeOf(answer)),
    )
  })
})

async function endedAnHourAgo({ t }: MoneroTill, address: string): Promise<void> {
  const expiresAt = new Date(t.deps.clock.now().getTime() - HOUR_MS)
  await t.db.update(moneroPayments).set({ expiresAt }).where(eq(moneroPayments.address, address))
}

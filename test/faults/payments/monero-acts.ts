import type { MoneroStandIn } from '../../../src/server/payments/testing/monero/monero-stand-in.ts'
import type { TestClock } from '../../../src/server/testing/test-app.ts'
import type { ProviderSide } from './payments-acts.ts'
import type { Facts, Truth } from './payments-model.ts'

const MINUTE = 60_000
const BLOCK = 2 * MINUTE
/** A day of blocks, in which money to any address is noticed. */
const RECENT = 720
/** At $150.00: what so many cents are, rounded up. */
const CENTS_PER_XMR = 15_000n
const picoOf = (cents: number) => (BigInt(cents) * 10n ** 12n + CENTS_PER_XMR - 1n) / CENTS_PER_XMR

type Coins = { cents: number; isOnTime: boolean; block: number | undefined; isSpent: boolean }
type MoneroTruth = Truth & { coins: Coins[]; endsAt: number; finalAtLook: number }
const MONERO_ACTS = [
  'sends a part',
  'sends it all',
  'sends too much',
  'a block is found',
  'coins are spent elsewhere',
] as const
type MoneroAct = (typeof MONERO_ACTS)[number]

const sum = (coins: readonly Coins[]) => coins.reduce((total, { cents }) => total + cents, 0)
const neededFor = (cents: number) => (cents <= 2000 ? 1 : cents <= 10_000 ? 3 : 10)

/** A wallet that is asked and never reports: nothing of it can be lost, doubled or swapped. */
export function moneroSide(stand: MoneroStandIn, clock: TestClock): ProviderSide<MoneroAct> {
  const now = () => clock.now().getTime()
  const all: MoneroTruth[] = []
  /** Our own count: how many blocks there are since the first. */
  let height = 0

  const mine = async (blocks: number) => {
    for (const coins of all.flatMap((truth) => truth.coins)) {
      if (coins.block === undefined && !coins.isSpent) coins.block = height
    }
    height += blocks
    await stand.mine(blocks)
  }

  const begin = (asked: number, endsAt: number): MoneroTruth => {
    const good = (truth: MoneroTruth) => truth.coins.filter(({ isSpent }) => !isSpent)
    const finalOf = (truth: MoneroTruth) => {
      const needed = neededFor(Math.max(asked, sum(good(truth))))
      return good(truth).filter(({ block }) => block !== undefined && height - block >= needed)
    }
    const isWhole = (coins: Coins[]) => sum(coins.filter(({ isOnTime }) => isOnTime)) >= asked
    const truth: MoneroTruth = {
      coins: [],
      endsAt,
      finalAtLook: 0,
      facts(): Facts {
        const final = finalOf(this)
        const said = (state: string, received: number) => ({
          state,
          received,
          refunded: 0,
          lost: 0,
        })
        if (isWhole(final)) return said('paid', sum(final))
        if (isWhole(good(this))) return said('confirming', 0)
        if (now() > endsAt) return said('expired', sum(final))
        return said(final.length < good(this).length ? 'confirming' : 'pending', 0)
      },
      looked() {
        this.finalAtLook = sum(finalOf(this))
      },
      isRecent() {
        const came = good(this).filter(
          ({ block }) => block === undefined || block > height - RECENT,
        )
        return sum(came) > this.finalAtLook
      },
    }
    all.push(truth)
    return truth
  }

  const happen = async (act: MoneroAct, address: string, given: Truth): Promise<boolean> => {
    const truth = given as MoneroTruth
    const send = async (cents: number) => {
      const isOnTime = now() <= truth.endsAt + 2 * MINUTE
      truth.coins.push({ cents, isOnTime, block: undefined, isSpent: false })
      await stand.pay(address, picoOf(cents))
      return true
    }
    switch (act) {
      case 'sends a part':
        return await send(150)
      case 'sends it all':
        return await send(500)
      case 'sends too much':
        return await send(750)
      case 'a block is found':
        await mine(1)
        return true
      case 'coins are spent elsewhere':
        for (const coins of all.flatMap((one) => one.coins)) {
          if (coins.block === undefined) coins.isSpent = true
        }
        stand.doubleSpend()
        return true
    }
  }

  return {
    acts: MONERO_ACTS,
    begin,
    happen,
    finish: () => mine(20),
    passes: (ms) => mine(Math.floor(ms / BLOCK)),
    delivery: (report) => report,
    isReplayable: () => true,
    checkoutMinutes: 30,
  }
}

import { HOUR_MS } from '#shared/rules/time/durations.ts'
import type { SeenTransfer } from '../../../db/schema/ledger.ts'
import type { Deps } from '../../../runtime/deps.ts'
import type { PaymentFacts } from '../../port/payment-provider.ts'
import { ProviderError } from '../../port/provider-errors.ts'
import { countable, isInTime, judge, type Transfer, type ValuedTransfer } from './monero-facts.ts'
import {
  highestHeight,
  highestIndex,
  keepTransfers,
  type MoneroRow,
  rowsOfIndices,
  storeSight,
} from './monero-rows.ts'
import { parseRate, type Rate, rateText, sumOf } from './piconero.ts'
import { RateError, type RateSource } from './rate-source.ts'
import type { MoneroWallet } from './wallet.ts'

/** A re-organised chain is a few blocks shorter for a while; a wallet that is restored, many. */
const REORG_BLOCKS = 20
/** A block comes every two minutes: without one for so long, the daemon does not follow the chain. */
const STANDSTILL_MS = 4 * HOUR_MS
/** Blocks of a day, in which money to any address is noticed, however old its payment is. */
const RECENT_BLOCKS = 720

type SightDeps = Pick<Deps, 'db' | 'clock' | 'log'> & {
  wallet: MoneroWallet
  rateNow: RateSource
}

export type MoneroSight = ReturnType<typeof moneroSight>

/** What the wallet sees of our payments. */
export function moneroSight({ db, clock, log, wallet, rateNow }: SightDeps) {
  const refuseBehind = async (walletId: string): Promise<number> => {
    const height = await wallet.height()
    const known = await highestHeight(db, walletId)
    const longAgo = new Date(clock.now().getTime() - STANDSTILL_MS)
    if (height < known - REORG_BLOCKS || height <= (await highestHeight(db, walletId, longAgo))) {
      throw new ProviderError('unreachable', `the Monero wallet is behind the chain, at ${height}`)
    }
    return height
  }

  /** A restored wallet does not watch addresses that it has not made again. */
  const agree = async ({ addressIndex, address, wallet: walletId }: MoneroRow): Promise<void> => {
    let known = await wallet.addressAt(addressIndex)
    if (known === undefined && (await wallet.id()) === walletId) {
      await wallet.makeUpTo(await highestIndex(db, walletId))
      known = await wallet.addressAt(addressIndex)
    }
    if (known !== address) {
      throw new ProviderError('missing', 'another Monero wallet is open than that of the payment')
    }
  }

  /** Late money is worth no more than it is worth now: a client gains nothing by waiting for a better rate. */
  const lateRate = async (held: Rate): Promise<Rate> => {
    try {
      const now = await rateNow()
      return now < held ? now : held
    } catch (error) {
      if (error instanceof RateError) return held
      throw error
    }
  }

  /** Says for each transfer that was not seen before what it is worth, once and for all. */
  const valued = async (row: MoneroRow, transfers: Transfer[]): Promise<ValuedTransfer[]> => {
    const held = rateOf(row.rate)
    const fresh: Record<string, SeenTransfer> = {}
    for (const transfer of transfers) {
      if (row.transfers[transfer.txid]) continue
      const isOnTime = isInTime(transfer, row.expiresAt, clock.now())
      const rate = rateText(isOnTime ? held : await lateRate(held))
      fresh[transfer.txid] = { rate, isOnTime }
    }
    const hasNews = Object.keys(fresh).length > 0
    const kept = hasNews ? await keepTransfers(db, row, fresh) : row.transfers
    return transfers.flatMap(({ txid, pico, confirmations }) => {
      const seen = kept[txid]
      if (!seen) return []
      return [{ pico, confirmations, rate: rateOf(seen.rate), isOnTime: seen.isOnTime }]
    })
  }

  return {
    /** The wallet for a new payment: view-only, and where the chain is. */
    async usableWallet(): Promise<{ walletId: string; height: number }> {
      const walletId = await wallet.id()
      if (!(await wallet.isViewOnly())) {
        throw new ProviderError('refused', 'the Monero wallet can spend: open a view-only one')
      }
      return { walletId, height: await refuseBehind(walletId) }
    },

    async look(row: MoneroRow): Promise<PaymentFacts> {
      await agree(row)
      await refuseBehind(row.wallet)
      const all = await wallet.transfersTo(row.addressIndex)
      const transfers = countable(all)
      if (transfers.length < all.length) {
        const ignored = all.length - transfers.length
        log.warn({ moneroPaymentId: row.id, ignored }, 'time-locked or double-spent Monero came')
      }
      const judged = judge(row, await valued(row, transfers), clock.now())
      await storeSight(db, row, {
        seenPico: String(judged.seen),
        finalPico: String(judged.final),
        confirmations: judged.confirmations,
        confirmationsNeeded: judged.needed,
      })
      return judged.facts
    },

    /** Addresses that got something lately which is not final yet, of payments of any age. */
    async recent(): Promise<string[]> {
      const [walletId, height] = [await wallet.id(), await wallet.height()]
      const came = countable(await wallet.transfersSince(height - RECENT_BLOCKS))
      const byIndex = Map.groupBy(came, ({ index }) => index)
      if (byIndex.size === 0) return []
      const rows = await rowsOfIndices(db, walletId, [...byIndex.keys()])
      return rows
        .filter((row) => sumOf(byIndex.get(row.addressIndex) ?? []) > BigInt(row.finalPico))
        .map(({ address }) => address)
    },
  }
}

function rateOf(text: string): Rate {
  const rate = parseRate(text)
  if (rate === undefined) throw new Error('a stored rate of Monero cannot be read')
  return rate
}

import { AppError } from '#shared/errors.ts'
import type { MoneroConfig } from '../../../config/provider-config.ts'
import type { Deps } from '../../../runtime/deps.ts'
import type { Bill, PaymentFacts, PaymentProvider } from '../../port/payment-provider.ts'
import { explained, ProviderError } from '../../port/provider-errors.ts'
import { confirmationsFor } from './monero-facts.ts'
import {
  highestIndex,
  insertRow,
  lookAhead,
  type MoneroRow,
  offerAgain,
  rowOfAddress,
  rowOfReference,
} from './monero-rows.ts'
import { type MoneroSight, moneroSight } from './monero-sight.ts'
import { piconeroFor, rateText, xmrText } from './piconero.ts'
import { RateError, rateSource } from './rate-source.ts'
import { type MoneroWallet, moneroWallet } from './wallet.ts'
import { walletClient } from './wallet-client.ts'

/** How often an index that another process took at the same moment is replaced by the next. */
const ATTEMPTS = 5

type MoneroDeps = Pick<Deps, 'db' | 'clock' | 'log'>

/**
 * Monero, without anybody between: each payment has a subaddress of the operator's wallet, which a
 * view-only monero-wallet-rpc watches. What was offered is in our own row, so that a page shows it
 * while the wallet is away.
 */
export function moneroProvider(config: MoneroConfig, deps: MoneroDeps): PaymentProvider {
  const { db, clock } = deps
  const wallet = moneroWallet(walletClient(config))
  const rateNow = rateSource(config.rate, clock)
  const sight = moneroSight({ ...deps, wallet, rateNow })

  const offerOf = async ({ amountCents, expiresAt }: Bill) => {
    const rate = await rateNow()
    const duePico = String(piconeroFor(amountCents, rate))
    return { rate: rateText(rate), duePico, expiresAt }
  }

  const rowFor = async (paymentId: string): Promise<MoneroRow> => {
    const row = await rowOfAddress(db, paymentId)
    if (!row) throw new ProviderError('missing', 'no payment has this Monero address')
    return row
  }

  return {
    name: 'monero',
    ways: [{ id: 'monero', name: 'Monero', kind: 'monero' }],
    isPaidHere: true,
    isInstant: false,
    isWatchedClosely: true,

    async createCheckout(bill) {
      if (bill.currency !== 'usd') throw new ProviderError('rejected', 'Monero is sold for dollars')
      const reference = referenceOf(bill)
      const now = clock.now()
      const known = await rowOfReference(db, reference)
      if (known && known.expiresAt > now) return toCheckout(known)
      const offer = await offerOf(bill)
      const { walletId, height } = await sight.usableWallet()
      if (known) {
        const again = await offerAgain(db, known, now, offer)
        return toCheckout(again ?? (await rowFor(known.address)))
      }
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const highest = await highestIndex(db, walletId)
        const { index, address } = await wallet.newAddressAbove(highest)
        const row = await insertRow(db, {
          ...offer,
          wallet: walletId,
          addressIndex: index,
          address,
          reference,
          amountCents: bill.amountCents,
          confirmationsNeeded: confirmationsFor(bill.amountCents),
          height,
          createdAt: now,
        })
        const made = row ?? (await rowOfReference(db, reference))
        if (made) return toCheckout(made)
      }
      throw new ProviderError('confused', 'the Monero wallet makes addresses that were handed out')
    },

    verifyWebhook: async () => undefined,

    fetchState: async (paymentId): Promise<PaymentFacts> => sight.look(await rowFor(paymentId)),

    recent: () => sight.recent(),

    async methods(paymentId) {
      const { address, duePico, seenPico } = await rowFor(paymentId)
      const left = BigInt(duePico) - BigInt(seenPico)
      if (left <= 0n) return []
      const amount = xmrText(left)
      return [
        {
          id: 'XMR',
          name: 'Monero',
          destination: address,
          paymentLink: `monero:${address}?tx_amount=${amount}`,
          due: `${amount} XMR`,
        },
      ]
    },

    async progress(paymentId) {
      const { confirmations, confirmationsNeeded } = await rowFor(paymentId)
      return confirmations === null ? undefined : { confirmations, needed: confirmationsNeeded }
    },

    lookAhead: () => lookAhead(db),

    // Only the client knows an address for the coins, and a view-only wallet cannot send them.
    refund: undefined,

    check: () => checked(wallet, sight, rateNow),
  }
}

/** With the amount: the same order may owe less when credit came in between. */
const referenceOf = ({ orderId, attempt, way, amountCents }: Bill): string =>
  [orderId, attempt, way ?? 'any', amountCents].join('-')

const toCheckout = ({ address, expiresAt }: MoneroRow) => ({ paymentId: address, expiresAt })

async function checked(
  wallet: MoneroWallet,
  sight: MoneroSight,
  rateNow: () => Promise<bigint>,
): Promise<string> {
  try {
    return await explained(async () => {
      const { height } = await sight.usableWallet()
      // A wallet that has lost its daemon still knows its height; it cannot read the pool.
      await wallet.transfersSince(height)
      const dollars = rateText(await rateNow()).replace(/0{6}$/, '')
      return `The view-only wallet answers, at block ${height}. One Monero is $${dollars} now.`
    }, HINTS)
  } catch (error) {
    const { cause } = error as { cause?: unknown }
    if (!(cause instanceof RateError)) throw error
    const sentence = `The wallet answers, but there is no rate: ${cause.reason}`
    throw new AppError('PAYMENT_UNAVAILABLE', sentence, { cause })
  }
}

const HINTS = {
  unreachable:
    'The Monero wallet does not answer, has no daemon, or is behind the chain. Check MONERO_WALLET_URL, whether monero-wallet-rpc runs, and whether its daemon is synchronised.',
  refused:
    'The Monero wallet does not let us in, has no wallet open, or can spend. Check MONERO_WALLET_LOGIN, --wallet-file, that --restricted-rpc is not set, and that the wallet is view-only.',
  missing: 'The Monero wallet does not know its own address. Check its wallet file.',
  rejected: 'The Monero wallet did not accept the request. Check its version: 0.18 or later.',
  confused: 'What answers at MONERO_WALLET_URL is not a monero-wallet-rpc we understand.',
}

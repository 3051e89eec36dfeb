import { createHash } from 'node:crypto'
import { z } from 'zod'
import { inTurn } from '../../../lib/async/in-turn.ts'
import { ProviderError } from '../../port/provider-errors.ts'
import type { Transfer } from './monero-facts.ts'
import { RPC, type WalletCall, WalletRefusal } from './wallet-client.ts'

/** The wallet's first account, which every wallet shows. */
const ACCOUNT = 0
/** More than this many addresses at once are refused. */
const MOST_AT_ONCE = 1000

const Address = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{95}$/)
const Index = z.number().int().nonnegative()
const AddressAnswer = z.object({
  /** The wallet's own, whichever was asked for. */
  address: Address,
  addresses: z.array(z.object({ address: Address, address_index: Index })),
})
const NewAddresses = z.object({ addresses: z.array(Address), address_indices: z.array(Index) })
const Height = z.object({ height: z.number().int().positive() })

const Entry = z.object({
  txid: z.string().regex(/^[0-9a-f]{64}$/),
  amount: z.string().regex(/^\d{1,20}$/),
  confirmations: z.number().int().nonnegative().optional(),
  unlock_time: z.number(),
  double_spend_seen: z.boolean(),
  timestamp: z.number().int(),
  subaddr_index: z.object({ major: Index, minor: Index }),
})
const Transfers = z.object({ in: z.array(Entry).default([]), pool: z.array(Entry).default([]) })

export type NewAddress = { index: number; address: string }
export type MoneroWallet = ReturnType<typeof moneroWallet>

/** The operator's view-only wallet, as far as payments need it. */
export function moneroWallet(call: WalletCall) {
  /** Two that make up for missing addresses at once would both make them. */
  const turn = inTurn()

  const create = async (count: number): Promise<NewAddress> => {
    const params = { account_index: ACCOUNT, count: Math.min(count, MOST_AT_ONCE) }
    const made = await call('create_address', params, NewAddresses)
    const [index, address] = [made.address_indices.at(-1), made.addresses.at(-1)]
    if (index !== undefined && address !== undefined) return { index, address }
    throw new ProviderError('confused', 'the Monero wallet made no address')
  }

  /** Undefined if the wallet has not made so many addresses. */
  const addressAt = async (index: number): Promise<string | undefined> => {
    try {
      const params = { account_index: ACCOUNT, address_index: [index] }
      const { addresses } = await call('get_address', params, AddressAnswer)
      return addresses.find((one) => one.address_index === index)?.address
    } catch (error) {
      if (error instanceof WalletRefusal && error.rpcCode === RPC.noSuchAddress) return undefined
      throw error
    }
  }

  const transfers = async (filter: object): Promise<(Transfer & { index: number })[]> => {
    const asked = { in: true, pool: true, account_index: ACCOUNT, ...filter }
    const { in: mined, pool } = await call('get_transfers', asked, Transfers)
    const inChain = new Set(mined.map(({ txid }) => txid))
    return [
      ...mined.map((entry) => toTransfer(entry, entry.confirmations ?? 0)),
      // One that was mined this moment may be in both lists.
      ...pool.filter(({ txid }) => !inChain.has(txid)).map((entry) => toTransfer(entry, 0)),
    ]
  }

  return {
    /** Tells this wallet from another without naming its address. */
    async id(): Promise<string> {
      const params = { account_index: ACCOUNT, address_index: [0] }
      const { address } = await call('get_address', params, AddressAnswer)
      return createHash('sha256').update(address).digest('hex').slice(0, 32)
    },

    async height(): Promise<number> {
      return (await call('get_height', {}, Height)).height
    },

    /**
     * Asks it to sign nothing: a view-only wallet says that it cannot, any other that there is
     * nothing. No key is asked for.
     */
    async isViewOnly(): Promise<boolean> {
      try {
        await call('sign_transfer', { unsigned_txset: '' }, z.unknown())
        return false
      } catch (error) {
        if (!(error instanceof WalletRefusal)) throw error
        if (error.fault !== 'rejected') throw error
        return error.rpcCode === RPC.viewOnly
      }
    },

    addressAt,

    /** A new address above this index: a restored wallet counts from the beginning. */
    newAddressAbove: (index: number): Promise<NewAddress> =>
      turn('make', async () => {
        let made = await create(1)
        while (made.index <= index) made = await create(index - made.index + 1)
        return made
      }),

    /** Makes every address up to this index, so that the wallet watches for money to it. */
    makeUpTo: (index: number): Promise<void> =>
      turn('make', async () => {
        if ((await addressAt(index)) !== undefined) return
        let made = await create(1)
        while (made.index < index) made = await create(index - made.index)
      }),

    /** Everything that came to one address, also what is not in a block yet. */
    transfersTo: (index: number): Promise<Transfer[]> => transfers({ subaddr_indices: [index] }),

    /** Everything that came since this height, to any address. */
    transfersSince: (height: number) =>
      transfers({ filter_by_height: true, min_height: Math.max(0, height) }),
  }
}

const toTransfer = (entry: z.output<typeof Entry>, confirmations: number) => ({
  txid: entry.txid,
  index: entry.subaddr_index.minor,
  pico: BigInt(entry.amount),
  confirmations,
  isTimeLocked: entry.unlock_time !== 0,
  isDoubleSpent: entry.double_spend_seen,
  at: new Date(entry.timestamp * 1000),
})

import { createHash, randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import { type Answered, type Asked, startStandIn } from '../stand-in-server.ts'
import { asksFor, digestGate } from './digest-gate.ts'
import { LOGIN } from './monero-chain.ts'

type Coins = {
  txid: string
  index: number
  pico: bigint
  /** The block it is in; undefined while it is in the pool. */
  block: number | undefined
  unlockTime: number
  isDoubleSpent: boolean
  at: Date
}

type SendOptions = { unlockTime?: number; at?: Date }
type WalletFaults = {
  hasNoWallet: boolean
  hasNoDaemon: boolean
  canSpend: boolean
  /** How many blocks the wallet has not read yet. */
  behind: number
  /** The next call of this method is carried out, but its answer is lost. */
  loses: string | undefined
}
type Refusal = { code: number; message: string }

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const FIRST_HEIGHT = 171
const PRIMARY = 0

const refusal = (code: number, message: string): Refusal => ({ code, message })
const NO_WALLET = refusal(-13, 'No wallet file')
const NO_ADDRESS = refusal(-15, 'address index is out of bound')
const NO_ACCOUNT = refusal(-14, 'account index is out of bound')
const NO_METHOD = refusal(-32601, 'Method not found')
const NO_DAEMON = refusal(-38, 'no connection to daemon')
/** What it says to any call that needs its daemon for the pool. */
const NO_POOL = refusal(0, '')

/** Looks like an address: of the right length and letters, always the same for one index. */
function addressOf(seed: string, index: number): string {
  const bytes = createHash('shake256', { outputLength: 94 }).update(`${seed} ${index}`).digest()
  const letters = [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length])
  return `${index === PRIMARY ? '4' : '8'}${letters.join('')}`
}

type Options = { clock?: Clock }
export type MoneroStandIn = Awaited<ReturnType<typeof startMonero>>

/** A monero-wallet-rpc with a view-only wallet and a chain of its own, limited to the calls we use. */
export async function startMonero({ clock = systemClock }: Options = {}) {
  let seed = 'operator'
  let height = FIRST_HEIGHT
  let made = 0
  const coins: Coins[] = []
  /** What the wallet has read: it notices that blocks were replaced when the chain is longer again. */
  let read = { height, mined: [] as Coins[] }
  const refresh = () => {
    if (height <= read.height) return
    const mined = coins.filter(({ block }) => block !== undefined)
    read = { height, mined: mined.map((one) => ({ ...one })) }
  }
  const own: WalletFaults = {
    hasNoWallet: false,
    hasNoDaemon: false,
    canSpend: false,
    behind: 0,
    loses: undefined,
  }
  const entry = (one: Coins) => {
    const place = { major: 0, minor: one.index }
    const isMined = one.block !== undefined
    return {
      address: addressOf(seed, one.index),
      amount: one.pico,
      amounts: [one.pico],
      ...(isMined ? { confirmations: read.height - own.behind - (one.block ?? 0) } : {}),
      double_spend_seen: one.isDoubleSpent,
      fee: 2_605_200_000,
      height: one.block ?? 0,
      locked: true,
      note: '',
      payment_id: '0000000000000000',
      subaddr_index: place,
      subaddr_indices: [place],
      suggested_confirmations_threshold: 1,
      timestamp: Math.floor(one.at.getTime() / 1000),
      txid: one.txid,
      type: isMined ? 'in' : 'pool',
      unlock_time: one.unlockTime,
    }
  }

  const transfers = (params: Record<string, unknown>) => {
    if (own.hasNoDaemon && params.pool === true) return NO_POOL
    const indices = params.subaddr_indices as number[] | undefined
    const from = params.filter_by_height === true ? Number(params.min_height) : -1
    const isMeant = ({ index }: Coins) => indices?.includes(index) ?? true
    const known = read.height - own.behind
    const mined = read.mined
      .filter(({ block = 0 }) => block > from && block < known)
      .filter(isMeant)
    const isRead = (txid: string) => read.mined.some((one) => one.txid === txid)
    const pool = coins.filter((one) => one.block === undefined && isMeant(one) && !isRead(one.txid))
    return {
      ...(mined.length > 0 ? { in: mined.map(entry) } : {}),
      ...(pool.length > 0 ? { pool: pool.map(entry) } : {}),
    }
  }

  const addresses = ({ address_index: wanted = [] }: { address_index?: number[] }) => {
    if (wanted.some((index) => index > made)) return NO_ADDRESS
    return {
      address: addressOf(seed, PRIMARY),
      addresses: wanted.map((index) => ({
        address: addressOf(seed, index),
        address_index: index,
        label: index === PRIMARY ? 'Primary account' : '',
        used: coins.some((one) => one.index === index),
      })),
    }
  }

  const create = ({ count = 1 }: { count?: number }) => {
    const indices = Array.from({ length: count }, (_, at) => made + 1 + at)
    made += count
    const all = indices.map((index) => addressOf(seed, index))
    const first = { address: all[0], address_index: indices[0] }
    return { ...first, address_indices: indices, addresses: all }
  }

  const results: Record<string, (params: Record<string, unknown>) => object> = {
    get_version: () => ({ release: false, version: 65_561 }),
    get_height: () => ({ height: read.height - own.behind }),
    get_address: addresses,
    create_address: create,
    get_transfers: transfers,
    refresh: () =>
      own.hasNoDaemon ? NO_DAEMON : { blocks_fetched: 0, received_money: coins.length > 0 },
    sign_transfer: () =>
      own.canSpend
        ? refusal(-39, 'cannot load unsigned_txset')
        : refusal(-29, 'command not supported by watch-only wallet'),
  }

  const outcomeOf = (method: string, params: Record<string, unknown>): object => {
    const work = results[method]
    if (!work) return NO_METHOD
    if (own.hasNoWallet && method !== 'get_version') return NO_WALLET
    if ((params.account_index ?? 0) !== 0) return NO_ACCOUNT
    return work(params)
  }

  const answer = ({ body }: Asked): Answered => {
    const request = asksFor(body)
    if (!request) {
      const error = { code: -32700, message: 'Parse error' }
      return { status: 200, body: { error, id: 0, jsonrpc: '2.0' } }
    }
    const outcome = outcomeOf(request.method, request.params)
    const isRefusal = 'code' in outcome
    const reply = { ...(isRefusal ? { error: outcome } : { result: outcome }), id: '0' }
    const isLost = own.loses === request.method
    if (isLost) own.loses = undefined
    return { status: 200, body: {}, json: withBigNumbers({ ...reply, jsonrpc: '2.0' }), isLost }
  }

  const gate = digestGate()
  const server = await startStandIn((asked, { refusesKey }) =>
    gate(asked, refusesKey ? 'somebody:else' : LOGIN, () => answer(asked)),
  )

  return {
    url: server.url,
    asked: server.asked,
    /** Between us and the wallet, and of the wallet itself. */
    faults: server.faults,
    own,
    env: {
      PAYMENT_PROVIDER: 'monero',
      MONERO_WALLET_URL: server.url,
      MONERO_WALLET_LOGIN: LOGIN,
      MONERO_RATE: '150.00',
    },
    close: server.close,
    coins,
    made: () => made,
    /** A client sends coins; they are in the pool. */
    async pay(
      address: string,
      pico: bigint,
      { unlockTime = 0, at = clock.now() }: SendOptions = {},
    ) {
      const index = Array.from({ length: made + 201 }, (_, one) => one).find(
        (one) => addressOf(seed, one) === address,
      )
      if (index === undefined) throw new Error('there is no such address in this wallet')
      const txid = randomBytes(32).toString('hex')
      coins.push({ txid, index, pico, block: undefined, unlockTime, isDoubleSpent: false, at })
      return txid
    },
    /** Blocks come, with all that is in the pool and is not contradicted in the first. */
    async mine(blocks: number) {
      for (const one of coins) if (one.block === undefined && !one.isDoubleSpent) one.block = height
      height += blocks
      refresh()
    },
    /** The last blocks are no longer part of the chain; what was in them is in the pool again. */
    async popBlocks(blocks: number) {
      height -= blocks
      for (const one of coins) if ((one.block ?? 0) >= height) one.block = undefined
    },
    /** What was in the pool is not in it any more. */
    async emptyPool() {
      for (const one of coins.filter(({ block }) => block === undefined)) {
        coins.splice(coins.indexOf(one), 1)
      }
    },
    /** The coins of the pool are also sent somewhere else. */
    doubleSpend() {
      for (const one of coins) if (one.block === undefined) one.isDoubleSpent = true
    },
    /** As if another program made so many addresses in this wallet. */
    skip(addresses: number) {
      made += addresses
    },
    /** The wallet is made again of its keys: the same addresses, but none of them made yet. */
    restore() {
      made = 0
    },
    /** The operator opens a wallet of other keys. */
    openOther(other = 'another') {
      seed = other
      made = 0
    },
  }
}

/** Piconero do not fit into a float, and are no strings on the wire. */
const withBigNumbers = (value: object): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `bigint ${one}` : one)).replace(
    /"bigint (\d+)"/g,
    '$1',
  )

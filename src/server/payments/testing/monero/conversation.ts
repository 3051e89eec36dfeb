import type { MoneroChain } from './monero-chain.ts'
import { LOGIN } from './monero-chain.ts'
import { rawCall } from './raw-call.ts'

/** One call and what was answered, as it went over the wire. */
export type Exchange = { what: string; method: string; params: unknown; answer: unknown }

/**
 * Every call that we make, in every situation that changes its answer, with a real wallet or with
 * what stands in for one. `lose` takes its daemon away.
 */
export async function converse(
  chain: MoneroChain,
  { restore, lose }: { restore(): Promise<void>; lose(): Promise<void> },
): Promise<Exchange[]> {
  const exchanges: Exchange[] = []
  const ask = async (what: string, method: string, params: object = {}) => {
    const answer = await rawCall(chain.url, LOGIN, { method, params })
    exchanges.push({ what, method, params, answer })
    return answer
  }
  const account = { account_index: 0 }
  const all = { in: true, pool: true, ...account }

  await ask('a method that it does not have', 'no_such_method')
  await ask('its height', 'get_height')
  await ask('whether it can spend', 'sign_transfer', { unsigned_txset: '' })
  await ask('its own address', 'get_address', { ...account, address_index: [0] })
  await ask('an address that was not made', 'get_address', { ...account, address_index: [9] })
  const one = await ask('a new address', 'create_address', { ...account, count: 1 })
  const more = await ask('several new addresses', 'create_address', { ...account, count: 3 })
  await ask('an address that was made', 'get_address', { ...account, address_index: [2] })
  await ask('an account that it does not have', 'create_address', { account_index: 7 })
  await ask('money before any came', 'get_transfers', { ...all, subaddr_indices: [1] })

  const [first, second] = [addressIn(one, 0), addressIn(more, 2)]
  await chain.pay(first, 33_334_000_000n)
  await chain.pay(second, 9_007_199_254_740_993n / 1000n, { unlockTime: 5000 })
  await ask('money in the pool', 'get_transfers', { ...all, subaddr_indices: [1] })
  await ask('money in the pool that is locked', 'get_transfers', { ...all, subaddr_indices: [4] })
  await chain.mine(2)
  await ask('money in a block', 'get_transfers', { ...all, subaddr_indices: [1] })
  await ask('money in a block that is locked', 'get_transfers', { ...all, subaddr_indices: [4] })
  const since = { ...all, filter_by_height: true, min_height: 0 }
  await ask('all money', 'get_transfers', since)
  await ask('no money lately', 'get_transfers', { ...since, min_height: 100_000 })
  await chain.popBlocks(2)
  await ask('money of blocks that were taken back', 'get_transfers', since)
  await chain.emptyPool()
  await chain.mine(3)
  await ask('no money after the chain was re-organised', 'get_transfers', since)
  await restore()
  await ask('an address after it was restored', 'get_address', { ...account, address_index: [1] })
  await ask('a new address after it was restored', 'create_address', { ...account, count: 1 })
  await lose()
  await ask('its height without its daemon', 'get_height')
  await ask('money without its daemon', 'get_transfers', all)
  return exchanges
}

const addressIn = (answer: unknown, at: number): string => {
  const { result } = answer as { result: { addresses: string[] } }
  const address = result.addresses[at]
  if (address === undefined) throw new Error('no address was made')
  return address
}

/**
 * What two answers must have in common: the names and kinds of their fields, and the words of their
 * refusals; not the figures.
 */
export function shapeOf(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0], key)]
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b))
    return Object.fromEntries(fields.map(([name, one]) => [name, shapeOf(one, name)]))
  }
  return SAID_AS_IT_IS.has(key) ? value : typeof value
}

const SAID_AS_IT_IS = new Set(['code', 'message', 'type', 'jsonrpc', 'confirmations'])

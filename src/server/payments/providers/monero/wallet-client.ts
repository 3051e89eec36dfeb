import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { z } from 'zod'
import type { MoneroConfig } from '../../../config/provider-config.ts'
import { CallError, guardedCall } from '../../../lib/net/guarded-call.ts'
import { ProviderError, type ProviderFault } from '../../port/provider-errors.ts'
import { PROVIDER_REACH } from '../../port/provider-reach.ts'
import { digestAnswer } from './digest.ts'

const PATH = '/json_rpc'

/** The codes of monero-wallet-rpc that we tell apart. */
export const RPC = {
  /** What it answers where it cannot read the daemon's pool. */
  noPool: 0,
  noWallet: -13,
  noSuchAddress: -15,
  viewOnly: -29,
  noDaemon: -38,
  unknownMethod: -32601,
} as const

const FAULTS: Record<number, ProviderFault> = {
  [RPC.noWallet]: 'refused',
  [RPC.noSuchAddress]: 'missing',
  [RPC.noPool]: 'unreachable',
  [RPC.noDaemon]: 'unreachable',
  // In its restricted mode it makes no addresses.
  [RPC.unknownMethod]: 'refused',
}

/** The wallet understood us and said no. */
export class WalletRefusal extends ProviderError {
  readonly rpcCode: number

  constructor(rpcCode: number, method: string) {
    super(FAULTS[rpcCode] ?? 'rejected', `the Monero wallet answered ${rpcCode} to ${method}`)
    this.rpcCode = rpcCode
  }
}

const Answer = z.union([
  z.object({ error: z.object({ code: z.number().int() }) }),
  z.object({ result: z.unknown() }),
])

export type WalletCall = <T>(method: string, params: object, answer: z.ZodType<T>) => Promise<T>

/** Calls a monero-wallet-rpc. No note quotes what it says, nor the login. */
export function walletClient({ walletUrl, login }: MoneroConfig): WalletCall {
  return async (method, params, shape) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: '0', method, params })
    const { status, text } = await post(walletUrl, login, body)
    if (status !== 200) {
      throw new ProviderError(faultOf(status), `the Monero wallet answered ${status} to ${method}`)
    }
    const answer = Answer.safeParse(losslessJson(text)).data
    if (answer && 'error' in answer) throw new WalletRefusal(answer.error.code, method)
    const result = shape.safeParse(answer?.result)
    if (result.success) return result.data
    const where = result.error.issues.map(({ path }) => path.join('.')).join(', ')
    throw new ProviderError('confused', `the Monero wallet's answer to ${method}: ${where}`)
  }
}

/** A challenge is valid on its own connection only, so both requests share one. */
async function post(walletUrl: string, login: string, body: string) {
  const isTls = walletUrl.startsWith('https:')
  const agent = new (isTls ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 1 })
  const send = (authorization?: string) =>
    guardedCall(
      {
        method: 'POST',
        url: `${walletUrl}${PATH}`,
        headers: {
          'content-type': 'application/json',
          ...(authorization === undefined ? {} : { authorization }),
        },
        body,
        agent,
      },
      PROVIDER_REACH,
    )
  try {
    const first = await send()
    if (first.status !== 401) return first
    const request = { method: 'POST', path: new URL(`${walletUrl}${PATH}`).pathname }
    const answer = digestAnswer(first.headers['www-authenticate'], login, request)
    return answer === undefined ? first : await send(answer)
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    throw new ProviderError('unreachable', `the Monero wallet: ${error.message}`)
  } finally {
    agent.destroy()
  }
}

/** Amounts have up to 20 digits: they are kept as they are written. Undefined for what is no JSON. */
function losslessJson(text: string): unknown {
  try {
    return JSON.parse(text, ((key: string, value: unknown, context?: { source?: string }) =>
      key === 'amount' ? (context?.source ?? value) : value) as (
      key: string,
      value: unknown,
    ) => unknown)
  } catch {
    return undefined
  }
}

function faultOf(status: number): ProviderFault {
  if (status === 401 || status === 403) return 'refused'
  return status === 429 || status >= 500 ? 'unreachable' : 'confused'
}

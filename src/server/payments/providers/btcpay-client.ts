import type { z } from 'zod'
import type { BtcpayConfig } from '../../config/provider-config.ts'
import { ProviderError, type ProviderFault } from '../port/provider-errors.ts'

const TIMEOUT_MS = 10_000

type Request<Schema extends z.ZodType> = {
  method?: 'GET' | 'POST'
  path: string
  body?: object
  answer: Schema
}

export type BtcpayCall = <Schema extends z.ZodType>(
  request: Request<Schema>,
) => Promise<z.output<Schema>>

/** Calls the Greenfield API. Never follows a redirect: the key is for this address only. */
export function btcpayClient({ url, apiKey }: BtcpayConfig): BtcpayCall {
  return async ({ method = 'GET', path, body, answer }) => {
    const name = `${method} ${path.split('?')[0]}`
    const reply = await send(name, `${url}${path}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        authorization: `token ${apiKey}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (reply.status !== 200) {
      throw new ProviderError(faultOf(reply.status), `BTCPay answered ${reply.status} to ${name}`)
    }
    const parsed = answer.safeParse(reply.body)
    if (parsed.success) return parsed.data
    const where = parsed.error.issues.map(({ path }) => path.join('.')).join(', ')
    throw new ProviderError('confused', `BTCPay's answer to ${name} is not as expected: ${where}`)
  }
}

async function send(
  name: string,
  url: string,
  init: RequestInit,
): Promise<{ status: number; body: unknown }> {
  try {
    const reply = await fetch(url, init)
    const text = await reply.text()
    return { status: reply.status, body: reply.status === 200 ? asJson(text) : undefined }
  } catch (error) {
    throw new ProviderError('unreachable', `${name} at BTCPay failed: ${reasonOf(error)}`)
  }
}

/** Undefined if the text is not JSON, such as a proxy's error page. */
export function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The innermost cause of a failed connection, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error.cause !== undefined) return reasonOf(error.cause)
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : error.name
}

function faultOf(status: number): ProviderFault {
  if (status === 401 || status === 403) return 'refused'
  if (status === 404) return 'missing'
  return status === 429 || status >= 500 ? 'unreachable' : 'rejected'
}

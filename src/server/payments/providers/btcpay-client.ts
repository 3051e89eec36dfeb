import type { z } from 'zod'
import type { BtcpayConfig } from '../../config/provider-config.ts'
import { CallError, guardedCall } from '../../lib/net/guarded-call.ts'
import { ProviderError, type ProviderFault } from '../port/provider-errors.ts'
import { PROVIDER_REACH } from '../port/provider-reach.ts'

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
    const reply = await send(name, {
      method,
      url: `${url}${path}`,
      headers: {
        authorization: `token ${apiKey}`,
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
  call: Parameters<typeof guardedCall>[0],
): Promise<{ status: number; body: unknown }> {
  try {
    const { status, text } = await guardedCall(call, PROVIDER_REACH)
    return { status, body: status === 200 ? asJson(text) : undefined }
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    throw new ProviderError('unreachable', `${name} at BTCPay failed: ${error.message}`)
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

function faultOf(status: number): ProviderFault {
  if (status === 401 || status === 403) return 'refused'
  if (status === 404) return 'missing'
  return status === 429 || status >= 500 ? 'unreachable' : 'rejected'
}

import type { MoneroRateConfig } from '../../../config/provider-config.ts'
import type { Clock } from '../../../lib/clock.ts'
import { CallError, guardedCall } from '../../../lib/net/guarded-call.ts'
import { ProviderError } from '../../port/provider-errors.ts'
import { PROVIDER_REACH } from '../../port/provider-reach.ts'
import { parseRate, type Rate } from './piconero.ts'

const FRESH_MS = 60_000
const MAX_BYTES = 256 * 2 ** 10

/** Why there is no rate now; for the operator who tests it, and for the log. */
export class RateError extends ProviderError {
  readonly reason: string

  constructor(reason: string) {
    super('unreachable', `the rate of Monero: ${reason}`)
    this.reason = reason
  }
}

/** Dollars for one Monero now. A rate outside of the operator's bounds is no rate. */
export type RateSource = () => Promise<Rate>

export function rateSource(config: MoneroRateConfig, clock: Clock): RateSource {
  if ('fixed' in config) return async () => figure(config.fixed)
  let last: { rate: Rate; at: number } | undefined
  return async () => {
    const now = clock.now().getTime()
    if (last && Math.abs(now - last.at) < FRESH_MS) return last.rate
    const rate = withinBounds(figure(await read(config.url, config.field)), config)
    last = { rate, at: now }
    return rate
  }
}

async function read(url: string, field: readonly string[]): Promise<string> {
  const call = { method: 'GET', url, headers: {}, maxBytes: MAX_BYTES } as const
  const { status, text } = await guardedCall(call, PROVIDER_REACH).catch((error: unknown) => {
    if (!(error instanceof CallError)) throw error
    throw new RateError(error.message)
  })
  if (status !== 200) throw new RateError(`its address answered ${status}.`)
  const found = field.reduce(memberOf, parsed(text))
  if (typeof found === 'string') return found
  // The shortest figure that is the same number; one so large or small that it has an e is no price.
  if (typeof found === 'number') return String(found)
  throw new RateError(`the answer has no figure at ${field.join('.')}.`)
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RateError('its address did not answer with JSON.')
  }
}

function figure(text: string): Rate {
  const rate = parseRate(text)
  if (rate === undefined) throw new RateError('what was answered is no price.')
  return rate
}

function withinBounds(rate: Rate, { min, max }: { min: string; max: string }): Rate {
  if (rate < figure(min)) throw new RateError('it is below MONERO_RATE_MIN.')
  if (rate > figure(max)) throw new RateError('it is above MONERO_RATE_MAX.')
  return rate
}

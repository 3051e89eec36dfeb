import { type Cents, formatUsd } from '../money/money.ts'
import { DAY_MS } from '../time/durations.ts'
import type { TransferFacts } from '../token/transfer.ts'
import type { InstanceSize } from './instance-size.ts'

/** What a server is, or would be with another package. */
export type Offer = { size: InstanceSize; priceCents: Cents }

type Term = { paidUntil: Date; durationDays: number }

/**
 * What the rest of the paid time costs more with another package, rounded to the client's favour.
 * Never negative: a cheaper package costs less only from the next renewal on.
 */
export function priceOfRest(from: Cents, to: Cents, { paidUntil, durationDays }: Term, now: Date) {
  const left = Math.max(0, paidUntil.getTime() - now.getTime())
  const more = Math.max(0, to - from)
  return Math.floor((more * left) / (durationDays * DAY_MS))
}

/**
 * `at-once` where nothing becomes smaller or cheaper. Anything else is for the next term: the client
 * has paid for the present size until the end of this one.
 */
export type ChangeTime = 'at-once' | 'at-renewal'

export function timeOfChange(from: Offer, to: Offer): ChangeTime {
  const isSmaller = to.size.cpu < from.size.cpu || to.size.ramGb < from.size.ramGb
  return isSmaller || to.priceCents < from.priceCents ? 'at-renewal' : 'at-once'
}

/** Whether the server must be stopped and started: only then does it get other cores and memory. */
export const needsRestart = (from: InstanceSize, to: InstanceSize): boolean =>
  from.cpu !== to.cpu || from.ramGb !== to.ramGb

type ActFacts = Pick<TransferFacts, 'isFree' | 'renewsItself' | 'hasOpenRenewal'>

/** Why the package of this server cannot be changed because of who pays for it and how. */
export function changeActRefusal(
  facts: ActFacts & { audience: 'owner' | 'operator' },
): string | undefined {
  if (facts.audience === 'operator') return 'Only its client can change the package of a server.'
  if (facts.isFree) return 'A free trial ends with its package. Order another server instead.'
  if (facts.renewsItself) {
    return 'This server renews itself by card. Turn that off in Billing, then change its package.'
  }
  return facts.hasOpenRenewal
    ? 'A renewal of this server is not paid yet. Pay or cancel it in Billing first.'
    : undefined
}

export type ChangeFacts = {
  server: { size: InstanceSize; planId: string | null; osType: string; durationDays: number } & {
    hasIpv4: boolean
  }
  target: {
    id: string
    size: InstanceSize
    osOptions: readonly string[]
    isTrial: boolean
    ipv6Only: boolean
    durationDays: number
  }
  /** The package that is planned for its next term. */
  planned: string | null
  /** Null where its node does not answer, so it is not known. */
  hasRoom: boolean | null
}

/** Why a server cannot get this package, in a sentence; undefined where it can. */
export function changeRefusal({
  server,
  target,
  planned,
  hasRoom,
}: ChangeFacts): string | undefined {
  if (planned !== null) {
    return `This server becomes ${planned} with its next term. Give that up first, then choose again.`
  }
  if (target.id === server.planId) return 'This server has this package already.'
  if (target.isTrial) return 'A running server cannot become a trial.'
  if (target.durationDays !== server.durationDays) {
    return `This server is paid for ${server.durationDays} days at a time, this package for ${target.durationDays}. Order it as a new server.`
  }
  if (!target.osOptions.includes(server.osType)) {
    return `This package is not offered with ${server.osType}. Reinstall the server with one of its systems first: ${target.osOptions.join(', ')}.`
  }
  if (target.ipv6Only === server.hasIpv4) {
    return target.ipv6Only
      ? 'Servers of this package have no IPv4 address, and this one has. Order it as a new server.'
      : 'Servers of this package have an IPv4 address, and this one has none. Order it as a new server.'
  }
  if (target.size.diskKind !== server.size.diskKind) {
    return `The disk of this server is an ${server.size.diskKind}, that of this package an ${target.size.diskKind}. Order it as a new server.`
  }
  if (target.size.diskGb < server.size.diskGb) {
    return `A disk cannot shrink: this server has ${server.size.diskGb} GB, this package ${target.size.diskGb} GB.`
  }
  if (hasRoom === null) return 'The node of this server does not answer. Try again in a minute.'
  return hasRoom ? undefined : 'The node of this server has no room for this package now.'
}

/** What is said where the credit does not pay for it. */
export const creditTooSmall = (missing: Cents): string =>
  `Your credit does not cover this: ${formatUsd(missing)} is missing. Top up your credit in Billing, then change the package.`

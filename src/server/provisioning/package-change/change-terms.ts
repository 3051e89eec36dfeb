import { type InstanceSize, sizeFromName } from '#shared/rules/instance/instance-size.ts'
import {
  changeRefusal,
  needsRestart,
  priceOfRest,
  timeOfChange,
} from '#shared/rules/instance/package-change.ts'
import { packageSize } from '#shared/rules/instance/package-size.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { isTrial } from '#shared/rules/money/plan-period.ts'
import { daysBegun } from '#shared/rules/time/durations.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import { hasRoom, type Room } from '../allocation/capacity.ts'
import { type Plan, planDays } from './plan-on-sale.ts'

export type ServerToChange = {
  token: Pick<
    TokenRow,
    'name' | 'osType' | 'ipAddress' | 'monthlyPriceCents' | 'durationDays' | 'expiresAt'
  >
  /** Its package; null where it was sold without one. */
  planId: string | null
  /** The package that is planned for its next term. */
  planned: { planName: string } | null
  /** What is free on its node; empty where that does not answer. */
  rooms: readonly Room[]
}

/** What this package would be for this server, and why it cannot have it. */
export function changeTerms(
  { token, planId, planned, rooms }: ServerToChange,
  plan: Plan,
  now: Date,
) {
  const size = sizeFromName(token.name)
  const wanted = packageSize(plan)
  const paidUntil = token.expiresAt ?? now
  const from = { size, priceCents: token.monthlyPriceCents }
  const to = { size: wanted, priceCents: plan.priceCents }
  const time = timeOfChange(from, to)
  const term = { paidUntil, durationDays: token.durationDays }
  const isAtOnce = time === 'at-once'
  const nowCents = isAtOnce ? priceOfRest(from.priceCents, to.priceCents, term, now) : 0
  const refusal = changeRefusal({
    server: {
      size,
      planId,
      osType: token.osType,
      durationDays: token.durationDays,
      hasIpv4: token.ipAddress !== null,
    },
    target: {
      id: plan.id,
      size: wanted,
      osOptions: plan.osOptions,
      isTrial: isTrial(plan.name) || plan.priceCents === 0,
      ipv6Only: plan.ipv6Only,
      durationDays: planDays(plan.name),
    },
    planned: planned?.planName ?? null,
    hasRoom: hasRoomToGrow(rooms, size, wanted),
  })
  return {
    nowCents,
    size: wanted,
    refusal,
    preview: {
      now: decimal(nowCents),
      // biome-ignore lint/suspicious/noThenProperty: the name is published, and a text is no thenable
      then: decimal(plan.priceCents),
      from: isAtOnce ? now : paidUntil,
      days: daysBegun(paidUntil.getTime() - now.getTime()),
      needsRestart: needsRestart(size, wanted),
      time,
    },
  }
}

/** What it has already is on the node: only the rest needs room. */
function hasRoomToGrow(
  rooms: readonly Room[],
  from: InstanceSize,
  to: InstanceSize,
): boolean | null {
  const more = {
    ...to,
    ramGb: Math.max(0, to.ramGb - from.ramGb),
    diskGb: Math.max(0, to.diskGb - from.diskGb),
  }
  if (more.ramGb === 0 && more.diskGb === 0) return true
  return rooms.length === 0 ? null : hasRoom(rooms, more)
}

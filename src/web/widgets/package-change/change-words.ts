import type { ChangePreview, PlannedPackage } from '#shared/api/shop/package-change.ts'
import { priceText } from '../../lib/format/price.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { daysText } from '../../lib/format/time-words.ts'

/** "now +$1.83 for 12 days, then $9.00 a month" */
export function costWords({ now, then, from, days, time }: ChangePreview): string {
  const later = `${priceText(then)} a month`
  if (time === 'at-renewal') return `nothing now, ${later} from ${calendarDay(new Date(from))}`
  return days === 0
    ? `then ${later}`
    : `now +${priceText(now)} for ${daysText(days)}, then ${later}`
}

/** When the server has it, and what that does to it. */
export function effectWords({ time, needsRestart }: ChangePreview): string {
  if (time === 'at-renewal') {
    return needsRestart
      ? 'It takes effect with the next term, once you have renewed the server. Then the server is stopped and started once. Until then you can keep the present package.'
      : 'It takes effect with the next term, once you have renewed the server. Until then you can keep the present package.'
  }
  return needsRestart
    ? 'More cores and memory need a stop and a start. More disk is there at once; a system made by us uses it after its next start.'
    : 'The server keeps running. A system made by us uses the larger disk after its next start.'
}

export function plannedWords({ name, price, from }: PlannedPackage): string {
  const what = `${name} for ${priceText(price)} a month`
  return from === null
    ? `${what}, from the next renewal on`
    : `${what}, from ${calendarDay(new Date(from))}`
}

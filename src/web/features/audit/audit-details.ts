import type { AuditEntry } from '#shared/api/audit.ts'
import { decimal } from '#shared/rules/money.ts'
import { priceText } from '../../lib/price.ts'

/** The details of an entry in one line; money as money. */
export const detailWords = (details: AuditEntry['details']): string =>
  Object.entries(details)
    .map(([name, value]) => detail(name, value))
    .join(', ')

function detail(name: string, value: unknown): string {
  const money = /^(?:(.+)C|c)ents$/.exec(name)
  if (money && typeof value === 'number') {
    return `${money[1] ?? 'amount'}: ${priceText(decimal(value))}`
  }
  return `${name}: ${valueWords(value)}`
}

const valueWords = (value: unknown): string => {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.map(String).join(' ') : JSON.stringify(value)
}

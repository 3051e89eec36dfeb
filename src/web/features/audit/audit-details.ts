import type { AuditEntry } from '#shared/api/people/audit.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { priceText } from '../../lib/format/price.ts'
import { targetPath } from './target-path.ts'

export type Detail = {
  text: string /** Where it can be seen, if it is one of our ids. */
  path?: string
}

const OURS = /^(order|token|instance|cluster)Id$/

/** The details of an entry, part by part: money formatted, ids linked. */
export const detailParts = (details: AuditEntry['details']): Detail[] =>
  Object.entries(details).map(([name, value]) => {
    const kind = OURS.exec(name)?.[1]
    const path = kind && typeof value === 'number' ? targetPath(`${kind}:${value}`) : undefined
    return { text: detail(name, value), ...(path && { path }) }
  })

/** The same in one line. */
export const detailWords = (details: AuditEntry['details']): string =>
  detailParts(details)
    .map(({ text }) => text)
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

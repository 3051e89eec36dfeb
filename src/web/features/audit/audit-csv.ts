import type { AuditEntry } from '#shared/api/people/audit.ts'
import { detailWords } from './audit-details.ts'

const HEADER = ['When (UTC)', 'Action', 'Who', 'Simulated by', 'Target', 'Details']

/** A spreadsheet would treat these as the start of a formula. */
const FORMULA = /^[=+\-@\t\r]/

function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The entries as a spreadsheet file, one line each (RFC 4180). */
export function auditCsv(entries: readonly AuditEntry[]): string {
  const lines = entries.map(({ at, action, actor, admin, target, details }) => [
    at,
    action,
    actor?.name ?? '',
    admin?.name ?? '',
    target ?? '',
    detailWords(details),
  ])
  return [HEADER, ...lines].map((line) => `${line.map(cell).join(',')}\r\n`).join('')
}

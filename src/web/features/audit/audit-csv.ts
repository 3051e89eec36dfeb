import type { AuditEntry } from '#shared/api/people/audit.ts'
import { csvLine } from '#shared/csv.ts'
import { detailWords } from './audit-details.ts'

const HEADER = ['When (UTC)', 'Action', 'Who', 'Simulated by', 'Target', 'Details']

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
  return [HEADER, ...lines].map(csvLine).join('')
}

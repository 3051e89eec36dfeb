import { expect, test } from 'vitest'
import type { AuditEntry } from '#shared/api/people/audit.ts'
import { auditCsv } from './audit-csv.ts'
import { detailParts, detailWords } from './audit-details.ts'
import { targetPath } from './target-path.ts'

test('money in the details is formatted as money', () => {
  expect(detailWords({ refund: 'credit', cents: 600 })).toBe('refund: credit, amount: $6.00')
  expect(detailWords({ refundedCents: 50, changed: ['a', 'b'] })).toBe(
    'refunded: $0.50, changed: a b',
  )
})

test('ids in the details link to what they name', () => {
  expect(detailParts({ orderId: 3, vmId: 1002 })).toEqual([
    { text: 'orderId: 3', path: '/orders?order=3' },
    { text: 'vmId: 1002' },
  ])
})

test('a target links to the page that shows it', () => {
  expect(targetPath('order:12')).toBe('/orders?order=12')
  expect(targetPath('instance:5')).toBe('/servers/5')
  expect(targetPath('cluster:2')).toBe('/clusters?settings=2')
  expect(targetPath('token:9')).toBe('/tokens?id=9')
  expect(targetPath('job:0b1c')).toBeUndefined()
  expect(targetPath('order:1/../x')).toBeUndefined()
})

test('a line of the file keeps commas and quotes, and is never a formula', () => {
  const entry = {
    id: 1,
    at: '2026-11-15T10:00:00.000Z',
    action: 'user.update',
    actor: { id: 1, name: '=HYPERLINK("http://x")' },
    admin: null,
    target: 'user:2',
    details: { name: 'Smith, "Zoe"' },
  } as unknown as AuditEntry
  expect(auditCsv([entry]).split('\r\n')).toEqual([
    'When (UTC),Action,Who,Simulated by,Target,Details',
    `2026-11-15T10:00:00.000Z,user.update,"'=HYPERLINK(""http://x"")",,user:2,"name: Smith, ""Zoe"""`,
    '',
  ])
})

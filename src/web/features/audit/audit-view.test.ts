import { expect, test } from 'vitest'
import { writeView } from '../../lib/paths/view-values.ts'
import { auditQuery, readAuditView } from './audit-view.ts'

test('the address decides what is requested', () => {
  const view = readAuditView(new URLSearchParams('tab=audit&action=user.login&userId=7&before=90'))
  expect(auditQuery(view)).toEqual({ action: 'user.login', userId: 7, before: 90 })
})

test('invalid values in the address are dropped, so that the server does not refuse the page', () => {
  const view = readAuditView(new URLSearchParams('action=<b>&userId=-1&before=1e9'))
  expect(auditQuery(view)).toEqual({})
})

test('valid days are kept, and days that do not exist are dropped', () => {
  const days = (text: string) => auditQuery(readAuditView(new URLSearchParams(text)))
  expect(days('from=2026-02-01&to=2026-02-28')).toEqual({ from: '2026-02-01', to: '2026-02-28' })
  expect(days('from=2026-02-30&to=yesterday')).toEqual({})
})

test('the tab stays in the address', () => {
  const search = new URLSearchParams('tab=audit&before=90')
  const next = writeView(search, {
    action: 'user.login',
    userId: undefined,
    before: undefined,
    from: undefined,
    to: undefined,
  })
  expect(next.toString()).toBe('tab=audit&action=user.login')
})

import { dayIn, numberIn, setValues } from '../../lib/paths/view-values.ts'

/** Which part of the log is shown; kept in the address. */
export type AuditView = {
  action: string | undefined
  userId: number | undefined
  before: number | undefined
  /** Days, as 2026-11-15. */
  from: string | undefined
  to: string | undefined
}

export function readAuditView(search: URLSearchParams): AuditView {
  const action = search.get('action')
  return {
    action: action && /^[a-z.-]{1,60}$/.test(action) ? action : undefined,
    userId: numberIn(search.get('userId')),
    before: numberIn(search.get('before')),
    from: dayIn(search.get('from')),
    to: dayIn(search.get('to')),
  }
}

/** The call's query, without unset parameters. */
export const auditQuery = (view: AuditView) => setValues(view)

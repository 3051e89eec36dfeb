/** Which part of the log is shown; kept in the address. */
export type AuditView = {
  action: string | undefined
  userId: number | undefined
  before: number | undefined
  /** Days, as 2026-11-15. */
  from: string | undefined
  to: string | undefined
}

const number = (text: string | null): number | undefined =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined

/** Only days that exist: the server refuses others. */
const day = (text: string | null): string | undefined => {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : undefined
}

export function readAuditView(search: URLSearchParams): AuditView {
  const action = search.get('action')
  return {
    action: action && /^[a-z.-]{1,60}$/.test(action) ? action : undefined,
    userId: number(search.get('userId')),
    before: number(search.get('before')),
    from: day(search.get('from')),
    to: day(search.get('to')),
  }
}

/** Changes only its own part of the address. */
export function writeAuditView(search: URLSearchParams, view: AuditView): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const [name, value] of Object.entries(view)) {
    if (value === undefined) next.delete(name)
    else next.set(name, String(value))
  }
  return next
}

/** The call's query, without unset parameters. */
export const auditQuery = ({ action, userId, before, from, to }: AuditView) => ({
  ...(action !== undefined && { action }),
  ...(userId !== undefined && { userId }),
  ...(before !== undefined && { before }),
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
})

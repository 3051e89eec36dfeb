/** Which part of the log is shown; lives in the address. */
export type AuditView = {
  action: string | undefined
  userId: number | undefined
  before: number | undefined
}

const number = (text: string | null): number | undefined =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined

export function readAuditView(search: URLSearchParams): AuditView {
  const action = search.get('action')
  return {
    action: action && /^[a-z.-]{1,60}$/.test(action) ? action : undefined,
    userId: number(search.get('userId')),
    before: number(search.get('before')),
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

/** The call's query: what is not set is not there. */
export const auditQuery = ({ action, userId, before }: AuditView) => ({
  ...(action !== undefined && { action }),
  ...(userId !== undefined && { userId }),
  ...(before !== undefined && { before }),
})

/** Values of a list's filter in the address; those that the server would refuse are dropped. */
export const numberIn = (text: string | null): number | undefined =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined

/** Only days that exist, such as 2026-11-15. */
export const dayIn = (text: string | null): string | undefined => {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : undefined
}

type View = Record<string, string | number | undefined>

/** Changes only its own part of the address. */
export function writeView(search: URLSearchParams, view: View): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const [name, value] of Object.entries(view)) {
    if (value === undefined) next.delete(name)
    else next.set(name, String(value))
  }
  return next
}

/** Without what is not set. */
export const setValues = <V extends View>(view: V) =>
  Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined)) as {
    [K in keyof V]?: Exclude<V[K], undefined>
  }

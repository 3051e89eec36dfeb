import type { TokenFields } from '../form/token-form.ts'

export const MOST_AT_ONCE = 50

const COUNT = `Enter a number from 1 to ${MOST_AT_ONCE}`

export const countOf = (text: string): number | undefined => {
  const count = /^\d{1,3}$/.test(text.trim()) ? Number(text) : 0
  return count >= 1 && count <= MOST_AT_ONCE ? count : undefined
}

type Single = 'macAddress' | 'clientIpAddress' | 'domain'

/** Fields that only one server can have must be empty when several are created. */
export function severalProblems(
  fields: Pick<TokenFields, Single | 'tokenType'>,
  quantity: string,
): Partial<Record<Single | 'quantity', string>> {
  const count = countOf(quantity)
  if (fields.tokenType === 'ready') return {}
  if (count === undefined) return { quantity: COUNT }
  if (count === 1) return {}
  const single = (['macAddress', 'clientIpAddress', 'domain'] as const).filter(
    (name) => fields[name].trim() !== '',
  )
  return Object.fromEntries(
    single.map((name) => [name, `Leave this empty: ${count} tokens cannot share it`]),
  )
}

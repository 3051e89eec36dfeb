import { z } from 'zod'
import { PROVIDER_FIELDS, type ProviderField } from '#shared/rules/money/provider-fields.ts'
import { type KeyedProvider, keysFrom, type ProviderKeys } from '../../config/provider-config.ts'
import { PROVIDER_VARIABLES } from '../../config/provider-variables.ts'

const Variables = z.object(PROVIDER_VARIABLES)
type Problem = { path: string; message: string }
type Judged<N extends KeyedProvider> = { keys: ProviderKeys[N]; problems: Problem[] }

/** Judges what an operator entered as the environment is judged, in the words of the form. */
export function judgeKeys<N extends KeyedProvider>(
  name: N,
  entered: Readonly<Record<string, string>>,
): Judged<N> {
  const known = PROVIDER_FIELDS[name]
  const given = Object.fromEntries(
    known.flatMap((field) => (entered[field.name] ? [[field.name, entered[field.name]]] : [])),
  )
  const missing = known
    .filter((field) => field.isNeeded && given[field.name] === undefined)
    .map((field) => ({ path: field.name, message: `“${labelOf(field)}” is required` }))
  const parsed = Variables.safeParse(given)
  const malformed = (parsed.error?.issues ?? []).map((issue) => {
    const path = String(issue.path[0])
    return { path, message: inWords(name, `${path} ${issue.message}`) }
  })
  const problems = [...missing, ...malformed]
  if (problems.length > 0) return { keys: undefined, problems }
  const sentences: string[] = []
  const keys = keysFrom(name, given, sentences)
  if (sentences.length === 0) return { keys, problems: [] }
  return {
    keys: undefined,
    problems: sentences.map((sentence) => ({
      path: known.findLast((field) => sentence.includes(field.name))?.name ?? '',
      message: inWords(name, sentence),
    })),
  }
}

/** Monero through BTCPay and directly would be two ways with one name. */
export const takesMoneroTwice = ({ btcpay, monero }: Partial<ProviderKeys>): boolean =>
  monero !== undefined && (btcpay?.paymentMethods ?? []).some((method) => /^XMR/i.test(method))

const labelOf = ({ label }: ProviderField): string => label.replace(' (optional)', '')

/** Names the fields of the form instead of the variables, the longest first: one may begin with another. */
export const inWords = (name: KeyedProvider, sentence: string): string =>
  PROVIDER_FIELDS[name]
    .toSorted((a, b) => b.name.length - a.name.length)
    .reduce((text, field) => text.replaceAll(field.name, `“${labelOf(field)}”`), sentence)
    .replace(/ with PAYMENT_PROVIDER=\w+$/, '')

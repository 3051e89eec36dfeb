import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'

type Facts = Record<string, unknown>
type Input = Record<string, unknown>

/** What an agent is shown before it changes something, and who of those it is about. */
type Showing = {
  /** The calls that change something of this. */
  paths: RegExp
  by: Route
  /** The one that the input names, in the answer of the call. */
  find(answer: unknown, input: Input): Facts | undefined
  /** What is shown of it. The confirmation holds while all of this stays the same. */
  facts: string[]
  /** The fact that names it. */
  name: string
}

const SHOWINGS: Showing[] = [
  {
    paths: /^\/api\/instances\/:id(?:\/|$)/,
    by: api.servers.get,
    find: (answer) => answer as Facts,
    facts: ['label', 'hostname', 'packageName', 'addresses', 'paidUntil'],
    name: 'label',
  },
  {
    paths: /^\/api\/client\/tokens\/:id\//,
    by: api.client.tokens,
    find: (answer, { id }) => among(answer, (one) => one.id === Number(id)),
    facts: ['label', 'name', 'monthlyPrice', 'durationDays', 'expiresAt', 'autoRenew'],
    name: 'label',
  },
  {
    paths: /^\/api\/marketplace\/\w+\/:tokenId$/,
    by: api.marketplace.tokens,
    find: (answer, { tokenId }) =>
      among(answer, (one) => one.tokenId === tokenId || String(one.id) === tokenId),
    facts: ['name', 'osType', 'monthlyPrice', 'durationDays'],
    name: 'name',
  },
  {
    paths: /^\/api\/client\/orders$/,
    by: api.packages.public,
    find: (answer, { packageId }) => among(answer, (one) => one.id === packageId),
    facts: ['name', 'cpu', 'ram', 'storage', 'price'],
    name: 'name',
  },
  {
    paths: /^\/api\/client\/orders\/:id\//,
    by: api.billing.details,
    find: (answer) => (answer as { order: Facts }).order,
    facts: ['id', 'planName', 'kind', 'amount', 'currency', 'months', 'status'],
    name: 'planName',
  },
]

const among = (answer: unknown, isIt: (one: Facts) => boolean): Facts | undefined =>
  (answer as Facts[]).find(isIt)

export const showingOf = ({ path }: Pick<Route, 'path'>): Showing | undefined =>
  SHOWINGS.find(({ paths }) => paths.test(path))

/** The facts to show, and the name of what they are about. */
export function shownOf({ find, facts, name }: Showing, answer: unknown, input: Input) {
  const found = find(answer, input)
  if (!found) return undefined
  const shown = Object.fromEntries(facts.map((fact) => [fact, found[fact] ?? null]))
  return { shown, subject: String(found[name]) }
}

import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import type { Route } from '#shared/api/parts/route.ts'
import { valuesOf } from './arbitraries.ts'
import { CONTENT_TYPES, HOSTILE_BODIES, HOSTILE_TEXTS, HOSTILE_VALUES } from './hostile.ts'

export const KINDS = ['valid', 'nearly valid', 'hostile'] as const
export type Kind = (typeof KINDS)[number]
export type Request = { method: Route['method']; url: string } & Pick<
  InjectOptions,
  'payload' | 'headers'
>

/** Requests to one route, from valid ones to hostile ones. */
export function requestsTo(route: Route, kind: Kind): fc.Arbitrary<Request> {
  return fc
    .record({ url: urls(route, kind), content: contents(route, kind) })
    .map(({ url, content }) => ({ method: route.method, url, ...content }))
}

function urls(route: Route, kind: Kind): fc.Arbitrary<string> {
  const valid = fc.record({
    params: route.params ? valuesOf(route.params) : fc.constant({}),
    query: route.query ? valuesOf(route.query) : fc.constant({}),
  })
  const spoilt = fc.constantFrom(...BROKEN, ...HOSTILE_TEXTS.filter((text) => text.length < 3000))
  return fc.record({ valid, spoilt, isSpoilt: fc.integer({ min: 0, max: 2 }) }).map((made) => {
    const params = made.valid.params as Record<string, unknown>
    const query = made.valid.query as Record<string, unknown>
    const isSpoilt = kind === 'hostile' && made.isSpoilt === 0
    const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
      encode(isSpoilt ? made.spoilt : params[name]),
    )
    const pairs = Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encode(isSpoilt ? made.spoilt : value)}`)
    if (isSpoilt) pairs.push(`__proto__=${encode(made.spoilt)}`)
    return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
  })
}

/** Sent unchanged: not valid addresses. */
const BROKEN = ['%', '%zz', '%c0%ae%c0%ae', '%00', '..;', '%2e%2e%2f%2e%2e']

/** A URL cannot contain a lone surrogate: sent as the bytes a sloppy client would send. */
const encode = (value: unknown) =>
  BROKEN.includes(String(value))
    ? String(value)
    : encodeURIComponent(String(value).toWellFormed()) || '%20'

type Content = Pick<InjectOptions, 'payload' | 'headers'>

function contents(route: Route, kind: Kind): fc.Arbitrary<Content> {
  if (route.method === 'GET') return fc.constant({})
  const body = route.body ? valuesOf(route.body) : fc.constant({})
  if (kind === 'valid') return body.map(asJson)
  if (kind === 'nearly valid') return body.chain(spoilOne).map(asJson)
  return fc.oneof(
    body.chain((value) => spoilWith(value, fc.constantFrom(...HOSTILE_VALUES))).map(asJson),
    fc.constantFrom(...HOSTILE_BODIES).map((payload) => ({ payload, headers: JSON_TYPE })),
    fc
      .record({ type: fc.constantFrom(...CONTENT_TYPES), body: fc.constantFrom(...HOSTILE_BODIES) })
      .map(({ type, body: payload }) => ({ payload, headers: { 'content-type': type } })),
  )
}

const JSON_TYPE = { 'content-type': 'application/json' }
const asJson = (value: unknown): Content => ({ payload: JSON.stringify(value), headers: JSON_TYPE })

/** One field missing, of another type, out of bounds, or one too many. */
function spoilOne(value: unknown): fc.Arbitrary<unknown> {
  const other = fc.oneof(
    fc.constantFrom<unknown>(null, '', 0, -1, 1.5, true, [], {}, 'x', 2_147_483_648),
    fc.string({ minLength: 300, maxLength: 400 }),
  )
  return fc.oneof(spoilWith(value, other), without(value), withMore(value, other))
}

function spoilWith(value: unknown, other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (!isRecord(value) || Object.keys(value).length === 0) return other
  return fc
    .record({ key: fc.constantFrom(...Object.keys(value)), other })
    .map((made) => ({ ...value, [made.key]: made.other }))
}

function without(value: unknown): fc.Arbitrary<unknown> {
  if (!isRecord(value) || Object.keys(value).length === 0) return fc.constant({})
  return fc
    .constantFrom(...Object.keys(value))
    .map((key) => Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)))
}

const EXTRA = ['role', 'isActive', 'id', 'passwordHash', 'status', 'assignedUserId', 'toString']

const withMore = (value: unknown, other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .record({ key: fc.constantFrom(...EXTRA), other })
    .map((made) => ({ ...(isRecord(value) ? value : {}), [made.key]: made.other }))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

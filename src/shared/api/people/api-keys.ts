import { z } from 'zod'
import { parseAmount } from '../../rules/money/money.ts'
import { formatCidr, parseCidr } from '../../rules/network/cidr.ts'
import { parseIp } from '../../rules/network/ip.ts'
import { KEY_SCOPES } from '../../rules/people/key-scopes.ts'
import { Id, idParams, nothing, Price, required, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { OwnPassword } from './second-factor.ts'

/** More than any honest account needs. */
export const API_KEYS_MAX = 20
const LIST_MAX = 50

const Scope = z.enum(KEY_SCOPES, { error: `Please choose from ${KEY_SCOPES.join(', ')}` })

export const ApiKey = z.object({
  id: Id,
  name: z.string(),
  /** The first characters of the key, to tell it from others. */
  hint: z.string(),
  scopes: z.array(Scope),
  /** Null: until it is revoked. */
  expiresAt: Timestamp.nullable(),
  isExpired: z.boolean(),
  /** From which networks it can be used; empty: from anywhere. */
  cidrs: z.array(z.string()),
  /** The only servers it reaches; null: all of the account. */
  instanceIds: z.array(Id).nullable(),
  /** What it can spend in a day (UTC); null: everything. */
  dailyLimit: z.string().nullable(),
  spentToday: z.string(),
  /** The day it was last used on (UTC). */
  lastUsedOn: z.string().nullable(),
  createdAt: Timestamp,
})
export type ApiKey = z.output<typeof ApiKey>

const NETWORK = 'Please enter networks such as 203.0.113.0/24 or 2001:db8::/32'

/** A single address is the network of its own. */
const Network = z.string({ error: NETWORK }).transform((text, context) => {
  const ip = parseIp(text.trim())
  const cidr = parseCidr(ip ? `${text.trim()}/${ip.family === 4 ? 32 : 128}` : text)
  if (cidr) return formatCidr(cidr)
  context.addIssue({ code: 'custom', message: NETWORK })
  return z.NEVER
})

const listOf = <S extends z.ZodType>(schema: S) =>
  z.array(schema).max(LIST_MAX, `Please use at most ${LIST_MAX}`)

export const ApiKeyCreate = OwnPassword.extend({
  name: required('Please name the key', 60),
  scopes: z
    .array(Scope, { error: 'Please choose what the key may do' })
    .min(1, 'Please choose what the key may do')
    .max(KEY_SCOPES.length, 'Please name each scope once')
    .refine((scopes) => new Set(scopes).size === scopes.length, 'Please name each scope once'),
  expiresAt: z.iso
    .datetime({ error: 'Please enter a time such as 2027-01-31T00:00:00Z' })
    .optional(),
  cidrs: listOf(Network).optional(),
  instanceIds: listOf(Id).min(1, 'Please choose at least one server').optional(),
  dailyLimit: Price.refine(
    (amount) => (parseAmount(amount) ?? 0) > 0,
    'Please enter an amount above 0',
  ).optional(),
}).superRefine(({ scopes, dailyLimit, instanceIds }, context) => {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message })
  if (dailyLimit !== undefined && !scopes.includes('billing:spend')) {
    refuse('dailyLimit', 'Only a key with billing:spend has a daily limit.')
  }
  if (instanceIds && scopes.some((scope) => scope.startsWith('billing:'))) {
    refuse('instanceIds', 'A key for certain servers cannot have billing scopes.')
  }
})

export const apiKeys = {
  list: route({
    method: 'GET',
    path: '/api/account/api-keys',
    access: 'client',
    staff: 'help',
    summary: 'My API keys, without the keys themselves',
    response: z.array(ApiKey),
  }),
  create: route({
    method: 'POST',
    path: '/api/account/api-keys',
    idempotent: true,
    access: 'client-in-person',
    needsProof: true,
    summary: 'Make an API key. It is in this answer and nowhere else',
    body: ApiKeyCreate,
    response: ApiKey.extend({ key: z.string() }),
    status: 201,
  }),
  revoke: route({
    method: 'DELETE',
    path: '/api/account/api-keys/:id',
    access: 'client-in-person',
    summary: 'End an API key at once',
    params: idParams,
    response: nothing,
    status: 204,
  }),
}

import { z } from 'zod'
import { TOKEN_STATUSES, TOKEN_TYPES } from '../../rules/token/token-status.ts'
import {
  chosenId,
  DurationDays,
  Id,
  Ipv4,
  idParams,
  Mac,
  nothing,
  optionalText,
  orNull,
  Price,
  required,
  Timestamp,
} from '../parts/fields.ts'
import { route } from '../parts/route.ts'

export const TokenStatus = z.enum(TOKEN_STATUSES)
export type TokenStatus = z.output<typeof TokenStatus>

export const TokenType = z.enum(TOKEN_TYPES, { error: 'Please select a token type' })
export type TokenType = z.output<typeof TokenType>

/** The fields that every viewer of a token may see. */
export const TokenFacts = z.object({
  id: Id,
  tokenId: z.string(),
  name: z.string(),
  status: TokenStatus,
  tokenType: TokenType,
  osType: z.string(),
  durationDays: z.number().int(),
  monthlyPrice: z.string(),
})

/** A login to a server, returned by one explicit, audited reveal. */
export const Login = z.object({ username: z.string(), password: z.string() })

/** A token as operators see it. No list contains its password: it is revealed one at a time. */
export const Token = TokenFacts.extend({
  ipAddress: z.string().nullable(),
  clientIpAddress: z.string().nullable(),
  macAddress: z.string().nullable(),
  domain: z.string().nullable(),
  username: z.string(),
  nodeId: Id.nullable(),
  templateId: Id.nullable(),
  instanceId: Id.nullable(),
  billingPlanId: Id.nullable(),
  proxmoxVmId: z.number().int().nullable(),
  assignedUserId: Id.nullable(),
  assignedInstanceId: Id.nullable(),
  assignedAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable(),
  createdAt: Timestamp,
  /** Why it cannot be sold now, in a sentence; null while it can, or when it is no longer stock. */
  problem: z.string().nullable(),
  /** Until when the VM of a cancelled or expired token is kept; null where none is kept. */
  keptUntil: Timestamp.nullable(),
})
export type Token = z.output<typeof Token>

const name = required('Token name is required', 100)
const username = required('Username is required', 50)
const password = z
  .string({ error: 'Password is required' })
  .min(1, 'Password is required')
  .max(200, 'Please use at most 200 characters')
const NODE = 'Please select a node'
const nodeId = chosenId(NODE)
const BY_TYPE =
  'IP address and template are required for IP/MAC tokens, instance is required for Ready tokens'

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null

export const TokenCreate = z
  .object({
    name,
    tokenType: TokenType.default('ip_mac'),
    nodeId,
    templateId: Id.nullish(),
    instanceId: Id.nullish(),
    assignedInstanceId: Id.nullish(),
    ipAddress: orNull(Ipv4),
    macAddress: orNull(Mac),
    monthlyPrice: Price.default('0.00'),
    durationDays: DurationDays.default(30),
    clientIpAddress: orNull(Ipv4),
    domain: orNull(optionalText(253)),
    username,
    password,
    osType: required('Please select an OS type', 100),
  })
  .refine(
    (token) =>
      token.tokenType === 'ready'
        ? Boolean(token.instanceId ?? token.assignedInstanceId)
        : Boolean(token.ipAddress && token.templateId),
    // Runs beside other errors, so that one look at the form shows all of them.
    { error: BY_TYPE, path: ['tokenType'], when: ({ value }) => isRecord(value) },
  )

/** Which fields a token requires depends on its type, which the service knows. */
export const TokenUpdate = z.object({
  name,
  ipAddress: orNull(Ipv4),
  macAddress: orNull(Mac),
  username,
  /** Omitted to keep the current password, which no list contains. */
  password: password.optional(),
  osType: required('Please select an OS type', 100),
  nodeId,
  templateId: chosenId('Please select a template').nullish(),
})

/** One event in the life of a token, for its timeline. */
const TokenEvent = z.object({
  id: Id,
  at: Timestamp,
  action: z.string(),
  by: z.enum(['you', 'client', 'admin', 'system']),
})

export const tokens = {
  list: route({
    method: 'GET',
    path: '/api/tokens',
    access: 'admin',
    staff: 'look',
    summary: 'All tokens that are not cancelled',
    response: z.array(Token),
  }),
  create: route({
    method: 'POST',
    path: '/api/tokens',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    summary: 'Create a token; price 0 makes it a free trial',
    body: TokenCreate,
    response: Token.extend({
      isFreeTrial: z.boolean().optional(),
      message: z.string().optional(),
    }),
    status: 201,
  }),
  update: route({
    method: 'PUT',
    path: '/api/tokens/:id',
    access: 'admin',
    staff: 'run',
    summary: 'Change a token that is on sale',
    params: idParams,
    body: TokenUpdate,
    response: Token,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/tokens/:id',
    access: 'admin',
    staff: 'run',
    summary:
      'Withdraw a token from sale; a cancelled one is deleted for good. A server in use is ended instead',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  cancelled: route({
    method: 'GET',
    path: '/api/tokens/cancelled',
    access: 'admin',
    staff: 'look',
    summary: 'Cancelled tokens',
    response: z.array(Token),
  }),
  restore: route({
    method: 'POST',
    path: '/api/tokens/:id/restore',
    access: 'admin',
    staff: 'run',
    summary: 'Take a cancelled token back into stock, where its VM still exists',
    params: idParams,
    response: Token,
  }),
  reveal: route({
    method: 'POST',
    path: '/api/tokens/:id/reveal',
    needsProof: true,
    access: 'admin',
    staff: 'run',
    summary: 'The login of a token that no client has; recorded in the audit log',
    params: idParams,
    response: Login,
  }),
  timeline: route({
    method: 'GET',
    path: '/api/tokens/:id/timeline',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'What happened to a token; a client sees its own',
    params: idParams,
    response: z.array(TokenEvent),
  }),
  nextAddress: route({
    method: 'GET',
    path: '/api/tokens/next-address',
    access: 'admin',
    staff: 'run',
    summary: 'The next free address of the networks of a node',
    query: z.object({ nodeId: z.coerce.number<number>().int().positive().max(2_147_483_647) }),
    response: z.object({ ipAddress: z.string().nullable() }),
  }),
}

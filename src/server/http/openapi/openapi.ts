import type { z } from 'zod'
import type { Route } from '#shared/api/parts/route.ts'
import { ERROR_STATUS } from '#shared/errors.ts'
import { KEY_SCOPES, SCOPE_WORDS } from '#shared/rules/people/key-scopes.ts'
import { hasDuty, ROLES } from '#shared/rules/people/roles.ts'
import { exampleAnswer, exampleRequest } from './example.ts'
import { EXAMPLE_REQUESTS } from './example-values.ts'
import { toJsonSchema } from './json-schema.ts'

type Json = Record<string, unknown>
type Api = Record<string, Record<string, Route>>

/** `cookie`: the name of the session's, which depends on https. */
type About = { title: string; version: string; cookie?: string }

/** The OpenAPI 3.1 document, generated from a route table. */
export function openApiDocument(api: Api, { cookie = 'hushbox', ...info }: About): Json {
  const paths: Record<string, Json> = {}
  for (const [noun, group] of Object.entries(api)) {
    for (const [name, route] of Object.entries(group)) {
      const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(noun, name, route) }
    }
  }
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: {
      schemas: { Error: errorSchema },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookie },
        key: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'hbx_…',
          description:
            'An API key of a client’s account, made in its settings. Each call by key names the ' +
            'scope that the key needs; a call that names none refuses keys. The scopes: ' +
            `${KEY_SCOPES.map((scope) => `${scope} (${SCOPE_WORDS[scope]})`).join(', ')}.`,
        },
      },
    },
  }
}

function operation(noun: string, name: string, route: Route): Json {
  const status = String(route.status ?? 200)
  const isEmpty = route.status === 204
  return {
    operationId: `${noun}.${name}`,
    tags: [noun],
    summary: route.summary,
    'x-access': route.access,
    'x-roles': rolesOf(route),
    ...(route.scope && { 'x-scope': route.scope }),
    security: securityOf(route),
    parameters: [
      ...parametersOf(route.params, 'path'),
      ...parametersOf(route.query, 'query'),
      ...(route.idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(route.body ? { requestBody: request(`${noun}.${name}`, route.body) } : {}),
    responses: {
      [status]: isEmpty
        ? { description: 'Done' }
        : {
            description: 'Done',
            content: route.csv ? TABLE : answer(route.response),
          },
      default: {
        description: 'Refused or failed',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

/** By cookie, or by a key with the scope of the route. */
function securityOf({ access, scope }: Route): Json[] {
  if (access === 'public') return []
  if (scope === undefined) return [{ session: [] }]
  return [{ session: [] }, { key: scope === 'any' ? [] : [scope] }]
}

/** The roles that may call a route in person; `admin` is the owner. */
function rolesOf({ access, staff = 'own' }: Route): string[] {
  if (access === 'public') return []
  const isForClients = access !== 'admin' && access !== 'simulating'
  const isForStaff = !access.startsWith('client')
  return ROLES.filter((role) =>
    role === 'client' ? isForClients : isForStaff && hasDuty(role, staff),
  )
}

const TABLE = { 'text/csv': { schema: { type: 'string' } } }

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Sent again within 24 hours with the same request, the key brings the first answer back. ' +
    'With another request: 422 IDEMPOTENCY_KEY_REUSED. While the first is running: 409 IN_FLIGHT.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return []
  const described = toJsonSchema(schema, 'input') as { properties?: Json; required?: string[] }
  return Object.entries(described.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (described.required?.includes(name) ?? false),
    schema: property,
  }))
}

function request(call: string, body: z.ZodType): Json {
  const schema = toJsonSchema(body, 'input')
  const example = EXAMPLE_REQUESTS[call] ?? exampleRequest(schema)
  return { required: true, content: { 'application/json': { schema, example } } }
}

function answer(response: z.ZodType): Json {
  const schema = toJsonSchema(response, 'output')
  return { 'application/json': { schema, example: exampleAnswer(schema) } }
}

const errorSchema = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
    message: { type: 'string' },
    details: {},
  },
}

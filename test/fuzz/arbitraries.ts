import fc from 'fast-check'
import { z } from 'zod'

/** The part of a JSON Schema that is read here. */
type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  pattern?: string
  format?: string
}

const PUBLIC_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'

/**
 * Rules that a schema checks in code do not show in it: values that pass them, by field. One that
 * fits only beside certain others is left out most of the time.
 */
const EXAMPLES: Record<string, unknown[]> = {
  ipAddress: ['203.0.113.7', '203.0.113.200', '198.51.100.1'],
  clientIpAddress: ['203.0.113.8', null],
  macAddress: ['02:00:5e:00:53:01', 'BC:24:11:00:00:07'],
  deviceMacAddress: ['02:00:5e:00:53:aa', 'aa:bb:cc:dd:ee:ff'],
  domain: ['vps.example', 'a-b.example.test'],
  cidr: ['203.0.113.0/24', '198.51.100.0/25'],
  gateway: ['203.0.113.1'],
  nameservers: [['9.9.9.9']],
  // Only this machine is ever contacted, on a port without a listener.
  host: ['127.0.0.1', 'localhost'],
  port: [1, 9],
  email: Array.from({ length: 20 }, (_, n) => `o.neil+tag${n}@example.test`),
  password: ['long enough for it', 'correct horse battery'],
  currentPassword: ['correct horse battery'],
  monthlyPrice: ['5.35', '0', 12],
  price: [6, 1.5],
  amount: ['1.20', '25'],
  amountOff: ['1.20'],
  percent: [undefined],
  expiresAt: ['2099-01-01T00:00:00.000Z'],
  dailyLimit: [undefined],
  scopes: [['servers:read'], ['servers:read', 'servers:power']],
  cidrs: [[], ['203.0.113.0/24']],
  events: [['order.paid'], ['order.paid', 'order.lapsed']],
  url: ['https://hooks.example/hushbox'],
  hostname: ['web-1', 'db.example.net'],
  userData: ['#cloud-config\n'],
  coupon: [undefined],
  months: [1, 3],
  publicKey: [PUBLIC_KEY],
  durationDays: [30, '7'],
  username: ['root', '1234567'],
  // Ids of packages; all other ids are numbers.
  id: ['small', 'medium', 'trial'],
}

/** Values that a schema allows. */
export function valuesOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const described = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
  })
  return arbitrary(described as Schema, '')
}

function arbitrary(schema: Schema, field: string): fc.Arbitrary<unknown> {
  const isNumber = schema.type === 'integer' || schema.type === 'number'
  const examples = EXAMPLES[field]?.filter((one) => !isNumber || typeof one === 'number')
  const own = fromSchema(schema, field)
  return examples?.length
    ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...examples) }, own)
    : own
}

function fromSchema(schema: Schema, field: string): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map((choice) => arbitrary(choice, field)))
  if (schema.allOf) return arbitrary(Object.assign({}, ...schema.allOf) as Schema, field)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'object':
      return objects(schema)
    case 'array':
      return fc.array(arbitrary(schema.items ?? {}, field), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      })
    case 'integer':
    case 'number':
      return numbers(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return strings(schema)
    default:
      return fc.oneof(fc.integer({ min: 1, max: 40 }), fc.string({ maxLength: 20 }))
  }
}

function objects({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const parts = Object.entries(properties).map(([name, schema]) => [name, arbitrary(schema, name)])
  const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(parts)
  return fc.record(model, { requiredKeys: required })
}

/** Small ones most of the time: those are the ids that exist. */
function numbers(schema: Schema): fc.Arbitrary<number> {
  const min = Math.ceil(schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1)
  const max = Math.min(schema.maximum ?? 2_147_483_647, Number.MAX_SAFE_INTEGER)
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min, max: Math.min(max, min + 12) }) },
    fc.constantFrom(min, max),
    fc.integer({ min, max }),
  )
}

function strings({ minLength = 0, maxLength = 60, pattern, format }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constant('2026-11-15T12:00:00.000Z')
  if (format === 'uuid') return fc.uuid()
  if (pattern !== undefined && !pattern.includes('(?'))
    return fc.stringMatching(new RegExp(pattern))
  const length = { minLength, maxLength: Math.min(maxLength, 60) }
  return fc.oneof(
    fc.string({ unit: 'grapheme', ...length }),
    fc.string({ unit: 'grapheme-ascii', ...length }),
  )
}

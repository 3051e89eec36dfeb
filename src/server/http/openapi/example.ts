import { exampleValue, isTrouble } from './example-values.ts'

/** The part of a JSON Schema that decides what an example of it looks like. */
type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  exclusiveMinimum?: number
  minLength?: number
  format?: string
}

type Fields = 'all' | 'required'

/** What an answer with this schema can look like, with every field that it can have. */
export const exampleAnswer = (schema: object): unknown => exampleOf(schema, '', 'all')

/** A request that is accepted, with its required fields; where it has none, with the others. */
export function exampleRequest(schema: object): unknown {
  const { required = [] } = schema as Schema
  return exampleOf(schema, '', required.length > 0 ? 'required' : 'all')
}

function exampleOf(schema: Schema, field: string, fields: Fields): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf
  if (choices?.some(isNull) && isTrouble(field)) return null
  if (choices) return exampleOf(choices.find((one) => !isNull(one)) ?? {}, field, fields)
  if (schema.allOf) return exampleOf(Object.assign({}, ...schema.allOf), field, fields)
  const type = [schema.type].flat().find((one) => one !== 'null')
  const named = exampleValue(field, type)
  if (named !== undefined) return named
  switch (type) {
    case 'object':
      return objectOf(schema, fields)
    case 'array':
      return schema.items ? [exampleOf(schema.items, field, fields)] : []
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, (schema.exclusiveMinimum ?? 0) + 1, 1)
    case 'boolean':
      return true
    case 'string':
      return textOf(schema)
    default:
      return type === undefined && field === '' ? {} : null
  }
}

const isNull = ({ type }: Schema): boolean => type === 'null'

function objectOf({ properties = {}, required = [] }: Schema, fields: Fields): object {
  const shown = Object.entries(properties).filter(
    ([name]) => fields === 'all' || required.includes(name),
  )
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, name, fields)]))
}

function textOf({ format, minLength = 0 }: Schema): string {
  if (format === 'date-time') return '2026-11-15T12:00:00.000Z'
  if (format === 'date') return '2026-11-15'
  if (format === 'uuid') return '5a1f6c1e-3f5b-4a52-9d6c-2f4f2f7d7a10'
  if (format === 'email') return 'operator@example.com'
  if (format === 'uri') return 'https://example.com/'
  return 'text'.padEnd(minLength, '.')
}

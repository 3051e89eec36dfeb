/** What a program relies on in one field: its types, its values if they are a list, its presence. */
export type Field = { types: string[]; values?: string[]; isRequired: boolean }
export type Fields = Record<string, Field>

export type CallFacts = {
  parameters: Fields
  request: Fields
  /** By the status of the success. */
  responses: Record<string, Fields>
}
/** By method and path, as `GET /api/stats`. */
export type Facts = Record<string, CallFacts>

type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}
type Content = { content?: Record<string, { schema?: Schema }> }
type Operation = {
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[]
  requestBody?: Content
  responses: Record<string, Content>
}
export type Document = { paths: Record<string, Record<string, Operation>> }

/** The facts of these calls, or of every call of an OpenAPI document. */
export function factsOf({ paths }: Document, calls?: readonly string[]): Facts {
  const facts: Facts = {}
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const call = `${method.toUpperCase()} ${path}`
      if (!calls || calls.includes(call)) facts[call] = callFacts(operation)
    }
  }
  return facts
}

function callFacts({ parameters = [], requestBody, responses }: Operation): CallFacts {
  const named = parameters.map(({ name, in: place, required = false, schema = {} }) => {
    return [`${place} ${name}`, { ...fieldOf(schema), isRequired: required }] as const
  })
  const answers = Object.entries(responses)
    .filter(([status]) => status !== 'default')
    .map(([status, answer]) => [status, fieldsOf(answer)] as const)
  return {
    parameters: Object.fromEntries(named),
    request: requestBody ? fieldsOf(requestBody) : {},
    responses: Object.fromEntries(answers),
  }
}

/** Every field of a body by its path: `disks[].size`; the body itself is the empty path. */
function fieldsOf({ content = {} }: Content): Fields {
  const found: Fields = {}
  for (const { schema } of Object.values(content)) if (schema) collect(schema, '', true, found)
  return found
}

function collect(schema: Schema, path: string, isRequired: boolean, into: Fields): void {
  into[path] = { ...fieldOf(schema), isRequired }
  const branches = branchesOf(schema)
  const names = new Set(branches.flatMap(({ properties = {} }) => Object.keys(properties)))
  for (const name of names) {
    const having = branches.filter(({ properties }) => properties)
    const isAlways = having.every(({ required = [] }) => required.includes(name))
    const schemas = having.flatMap(({ properties = {} }) => properties[name] ?? [])
    collect(either(schemas), path === '' ? name : `${path}.${name}`, isAlways, into)
  }
  const items = branches.flatMap(({ items: item }) => item ?? [])
  if (items.length > 0) collect(either(items), `${path}[]`, true, into)
  const values = branches.flatMap(({ additionalProperties: value }) =>
    typeof value === 'object' && Object.keys(value).length > 0 ? value : [],
  )
  if (values.length > 0) collect(either(values), `${path}{}`, true, into)
}

const either = (schemas: Schema[]): Schema =>
  schemas.length === 1 && schemas[0] ? schemas[0] : { anyOf: schemas }

/** A union in its parts; a schema without one is its only part. */
function branchesOf(schema: Schema): Schema[] {
  const parts = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => list ?? [])
  return parts.length > 0 ? parts.flatMap(branchesOf) : [schema]
}

function fieldOf(schema: Schema): Omit<Field, 'isRequired'> {
  const branches = branchesOf(schema)
  const types = [...new Set(branches.flatMap(typesOf))].toSorted()
  const isList = branches.every((part) => valuesOf(part) || part.type === 'null')
  const values = [...new Set(branches.flatMap((part) => valuesOf(part) ?? []))].toSorted()
  return isList && values.length > 0 ? { types, values } : { types }
}

function valuesOf(part: Schema): string[] | undefined {
  if (part.const !== undefined) return [JSON.stringify(part.const)]
  return part.enum?.map((value) => JSON.stringify(value))
}

function typesOf(part: Schema): string[] {
  if (part.type !== undefined) return [part.type].flat()
  const values = part.const === undefined ? part.enum : [part.const]
  return values?.map((value) => (value === null ? 'null' : typeof value)) ?? ['any']
}

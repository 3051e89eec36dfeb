import type { z } from 'zod'
import type { Route } from '#shared/api/parts/route.ts'
import { toJsonSchema } from '../http/openapi/json-schema.ts'

type Json = Record<string, unknown>
type Api = Record<string, Record<string, Route>>
type Place = 'params' | 'query' | 'body'

/** A call of the route table, as an agent sees it. */
export type Tool = {
  name: string
  route: Route
  /** Where each argument belongs in the request. */
  places: Map<string, Place>
  inputSchema: Json
  /** Only done with a confirmation of what was shown first. */
  asks: boolean
}

/** The argument by which an agent confirms what it was shown. */
export const CONFIRMATION = 'confirmation'

/** A screen is nothing for a tool, and the tools are none themselves. */
const NO_TOOLS = ['consoles', 'tools']

/** Every call that takes keys, by the same names as in the API document. */
export const toolsOf = (api: Api): Tool[] =>
  Object.entries(api)
    .filter(([noun]) => !NO_TOOLS.includes(noun))
    .flatMap(([noun, group]) =>
      Object.entries(group)
        .filter(([, { scope }]) => scope !== undefined)
        .map(([name, route]) => toolOf(`${noun}_${name}`, route)),
    )

function toolOf(name: string, route: Route): Tool {
  const asks = route.method !== 'GET' && !route.isHarmless
  const places = new Map<string, Place>()
  const properties: Json = {}
  const required: string[] = []
  for (const place of ['params', 'query', 'body'] as const) {
    const inputs = inputsOf(route[place])
    for (const [argument, schema] of Object.entries(inputs.properties)) {
      if (places.has(argument) || argument === CONFIRMATION) {
        throw new Error(`${name} has two arguments called ${argument}`)
      }
      places.set(argument, place)
      properties[argument] = schema
    }
    required.push(...inputs.required)
  }
  if (asks) {
    properties[CONFIRMATION] = {
      type: 'string',
      description: 'What the first call, without it, asks to be sent.',
    }
  }
  const inputSchema = { type: 'object', properties, required, additionalProperties: false }
  return { name, route, places, inputSchema, asks }
}

type Inputs = { properties: Json; required: string[] }

function inputsOf(schema: z.ZodType | undefined): Inputs {
  if (!schema) return { properties: {}, required: [] }
  const { properties, required = [] } = toJsonSchema(schema, 'input') as Partial<Inputs>
  if (!properties) throw new Error('the input of a tool is an object')
  return { properties, required }
}

/** What the protocol tells of a tool. */
export const describeTool = ({ name, route, inputSchema, asks }: Tool): Json => ({
  name,
  title: route.summary,
  description: asks
    ? `${route.summary}. The first call changes nothing: it shows what is about to happen and how to confirm it.`
    : `${route.summary}.`,
  inputSchema,
  annotations: {
    readOnlyHint: route.method === 'GET',
    destructiveHint: asks,
    openWorldHint: false,
  },
})

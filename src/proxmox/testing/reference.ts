import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** Recordings published by other projects are stored beside the repository, not in it. */
const folder = join(import.meta.dirname, '../../../../shared/pve')

export const hasReference = existsSync(join(folder, 'facts.md'))
export const whyAbsent = '../shared/pve is not here: reference tests are skipped'

const load = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))

const Interaction = z.object({
  method: z.string(),
  path: z.string(),
  query: z.string().optional(),
  status: z.number(),
  reason: z.string(),
  body: z.unknown().optional(),
  rawBody: z.string().optional(),
})
export type Interaction = z.output<typeof Interaction>

export function recordings(): Interaction[] {
  const set = 'recordings/fog-proxmox-pve6'
  return readdirSync(join(folder, set)).flatMap((file) => {
    const parsed = z.object({ interactions: z.array(Interaction) }).parse(load(join(set, file)))
    return parsed.interactions
  })
}

const KnownError = z.object({
  method: z.string().optional(),
  path: z.string().optional(),
  status: z.number().nullable(),
  reason: z.string().optional(),
  message: z.string().optional(),
  class: z.string().optional(),
  body: z.unknown().optional(),
})

export function knownErrors() {
  const shape = z.object({ wire: z.array(KnownError), fromSource: z.array(KnownError) })
  return shape.parse(load('recordings/errors.json'))
}

export type Property = {
  type?: string | undefined
  optional?: boolean | undefined
  pattern?: string | undefined
  enum?: string[] | null | undefined
  minimum?: number | undefined
  maximum?: number | undefined
  minLength?: number | undefined
  maxLength?: number | undefined
  alias?: string | undefined
  default_key?: number | undefined
  format?: string | Record<string, Property> | undefined
}

const Property: z.ZodType<Property> = z.lazy(() =>
  z.object({
    type: z.string().optional(),
    optional: z.boolean().optional(),
    pattern: z.string().optional(),
    enum: z.array(z.string()).nullish(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    alias: z.string().optional(),
    default_key: z.number().optional(),
    format: z.union([z.string(), z.record(z.string(), Property)]).optional(),
  }),
)

const Schema = z.object({
  defs: z.record(z.string(), z.record(z.string(), Property)),
  endpoints: z.array(
    z.object({
      method: z.string(),
      path: z.string(),
      parameters: z.record(z.string(), z.union([z.string(), Property])),
    }),
  ),
})
export type Schema = z.output<typeof Schema>

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/pve')

export const schema = (version: string): Schema =>
  Schema.parse(JSON.parse(readFileSync(join(FIXTURES, `schema-${version}.json`), 'utf8')))

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Version } from '../state/types.ts'

export type SchemaParam = {
  type?: string
  optional?: boolean
  enum?: string[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  requires?: string
  properties?: Record<string, SchemaParam>
  items?: SchemaParam
  additionalProperties?: boolean
  $include?: string
}

type Endpoint = {
  method: string
  path: string
  allowtoken: boolean
  proxyto?: string
  permissions: { user?: string; check?: unknown }
  parameters: Record<string, SchemaParam> & { $include?: string }
  returns: SchemaParam
}

type SchemaFile = { defs: Record<string, Record<string, SchemaParam>>; endpoints: Endpoint[] }

/** The facts of the published API schemas: see test/fixtures/pve/README.md. */
const schemaFile = (version: Version) =>
  join(import.meta.dirname, `../../../test/fixtures/pve/schema-${version}.json`)

export function readSchema(version: Version) {
  const file = JSON.parse(readFileSync(schemaFile(version), 'utf8')) as SchemaFile
  const include = (name: string | undefined) => (name ? (file.defs[name] ?? {}) : {})
  const endpoints = new Map(file.endpoints.map((entry) => [`${entry.method} ${entry.path}`, entry]))
  return {
    endpoint: (signature: string) => endpoints.get(signature),
    params(signature: string): Record<string, SchemaParam> {
      const { $include, ...own } = endpoints.get(signature)?.parameters ?? {}
      return { ...include($include), ...own }
    },
    returns(signature: string): SchemaParam | undefined {
      const returns = endpoints.get(signature)?.returns
      if (!returns?.properties && !returns?.$include) return returns
      return returns
        ? { ...returns, properties: { ...include(returns.$include), ...returns.properties } }
        : undefined
    },
  }
}

/** Fields that real clusters send although the schema omits them (recordings, TYPE-MISMATCHES). */
const SEEN = new Set(
  'disk maxdisk id type template netin netout diskread diskwrite lock tags serial cpu mem pid content pool status name vmid maxcpu maxmem uptime node shared balloon blockstat nics bridge_fd bridge_stp proxmox-support cap NeedTFA default total tokenid pstart endtime memhost exitstatus plugintype hastate kversion swap ksm wait idle uptime level cgroup-mode sdn meta mhz hvm user_hz flags comment clustername ha agent qmpstatus user starttime'.split(
    ' ',
  ),
)

function fits(schema: SchemaParam, value: unknown): boolean {
  switch (schema.type) {
    case 'boolean':
      return value === 0 || value === 1 || value === ''
    case 'integer':
      return value === null || /^-?\d+$/.test(String(value))
    case 'number':
      return !Number.isNaN(Number(value))
    case 'string':
      return typeof value === 'string' || typeof value === 'number'
    case 'null':
      return value === null
    default:
      return true
  }
}

/** Where Proxmox VE itself (8.4.21, 9.2.11) departs from its schema. */
const DEPARTURES = [
  /\.saved: not in the schema$/,
  /^data\.poolid: not in the schema$/,
  /^data\.info\.privsep: "[01]" is no boolean$/,
  /^data\.clipboard: null is no string$/,
]

/** Everything in an answer that the schema forbids, except the known departures of the real one. */
export const mismatches = (schema: SchemaParam, value: unknown): string[] =>
  violations(schema, value, 'data').filter((line) => !DEPARTURES.some((one) => one.test(line)))

function violations(schema: SchemaParam, value: unknown, at: string): string[] {
  if (schema.type === 'array') {
    if (!Array.isArray(value)) return [`${at}: no array`]
    return value.flatMap((item, i) => violations(schema.items ?? {}, item, `${at}[${i}]`))
  }
  if (schema.properties === undefined && schema.type !== 'object') {
    return fits(schema, value) ? [] : [`${at}: ${JSON.stringify(value)} is no ${schema.type}`]
  }
  if (typeof value !== 'object' || value === null)
    return schema.optional ? [] : [`${at}: no object`]
  const known = schema.properties ?? {}
  if (Object.keys(known).length === 0) return []
  const missing = Object.entries(known)
    .filter(([name, property]) => !property.optional && !(name in value) && !name.endsWith('[n]'))
    .map(([name]) => `${at}.${name}: missing`)
  const wrong = Object.entries(value).flatMap(([name, item]) => {
    const property = known[name] ?? known[name.replace(/\d+$/, '[n]')]
    if (property) return violations(property, item, `${at}.${name}`)
    return schema.additionalProperties || SEEN.has(name) ? [] : [`${at}.${name}: not in the schema`]
  })
  return [...missing, ...wrong]
}

import type { Version } from '../state/types.ts'
import { atLeast } from '../state/versions.ts'

/** The location of a value: its parameter's name, which some messages repeat, and the release. */
export type Place = { path: string; version: Version }

/** Checks one value; returns the error in PVE's words. */
export type Check = (value: string, place: Place) => string | undefined

/** One key of a property string, in the terms of PVE's schemas. Optional unless `required`. */
export type Key = {
  type?: 'boolean' | 'integer' | 'number'
  required?: boolean
  /** A value without a name belongs to this key. */
  isDefault?: boolean
  enum?: readonly string[]
  pattern?: RegExp
  format?: Check
  minimum?: number
  maximum?: number
  requires?: string
  /** Written as `virtio=MAC`: the key's name is the value of `names`, its value that of `holds`. */
  alias?: { names: string; holds: string }
}

export type Keys = Readonly<Record<string, Key>>

const UNKNOWN =
  'property is not defined in schema and the schema does not allow additional properties'
const DUPLICATE = 'duplicate key in comma-separated list property:'

/** Inside property strings, and only there, a boolean has many spellings since 9.0. */
function booleanOf(value: string): string {
  if (/^(1|on|yes|true)$/i.test(value)) return '1'
  return /^(0|off|no|false)$/i.test(value) ? '0' : value
}

const plain = (key: Key | undefined, value: string, version: Version) =>
  key?.type === 'boolean' && atLeast(version, '9.0') ? booleanOf(value) : value

/** Splits by commas and names; a returned string is an error about the whole value. */
function parse(keys: Keys, text: string, version: Version): Map<string, string> | string {
  const found = new Map<string, string>()
  const fallback = Object.keys(keys).find((name) => keys[name]?.isDefault)
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const [, name = '', value = ''] = /^([^=]+)=(.+)$/s.exec(part) ?? []
    if (name) {
      const alias = keys[name]?.alias
      const target = alias?.holds ?? name
      if (alias) found.set(alias.names, name)
      if (found.has(target)) return `${DUPLICATE} ${target}`
      found.set(target, plain(keys[target], value, version))
    } else if (part.includes('=')) return 'missing key in comma-separated list property'
    else if (!fallback) return 'value without key, but schema does not define a default key'
    else if (found.has(fallback)) return `${DUPLICATE} ${fallback}`
    else found.set(fallback, plain(keys[fallback], part, version))
  }
  return found
}

const TYPES = {
  boolean: /^[01]$/,
  integer: /^[+-]?\d+$/,
  number: /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/,
}

function wrongWith(key: Key, value: string, place: Place): string | undefined {
  const { type, minimum, maximum } = key
  if (type && !TYPES[type].test(value)) return `type check ('${type}') failed - got '${value}'`
  const format = key.format?.(value, place)
  if (format) return `invalid format - ${format}\n`
  if (key.pattern && !key.pattern.test(value)) return 'value does not match the regex pattern'
  if (key.enum && !key.enum.includes(value)) {
    return `value '${value}' does not have a value in the enumeration '${key.enum.join(', ')}'`
  }
  if (minimum !== undefined && Number(value) < minimum) {
    return `value must have a minimum value of ${minimum}`
  }
  if (maximum !== undefined && Number(value) > maximum) {
    return `value must have a maximum value of ${maximum}`
  }
  return undefined
}

function errorsOf(keys: Keys, found: Map<string, string>, place: Place): Record<string, string> {
  const { path, version } = place
  const errors: Record<string, string> = {}
  for (const [name, value] of found) {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined
    const wrong = key ? wrongWith(key, value, { path: `${path}.${name}`, version }) : UNKNOWN
    if (wrong) errors[name] = wrong
    if (key?.requires && !found.has(key.requires)) {
      errors[key.requires] = atLeast(version, '9.0')
        ? `missing property required by '${path}.${name}'`
        : `missing property - '${path}.${name}' requires this property`
    }
  }
  for (const [name, key] of Object.entries(keys)) {
    if (key.required && !found.has(name))
      errors[name] = 'property is missing and it is not optional'
  }
  return errors
}

/**
 * Checks `a=1,b=2` against its keys, with the messages of JSONSchema.pm; `more` checks the whole.
 */
export const propertyFormat =
  (keys: Keys, more?: (found: Map<string, string>) => string | undefined): Check =>
  (value, place) => {
    const { path } = place
    const found = parse(keys, value, place.version)
    if (typeof found === 'string') return found
    const errors = Object.entries(errorsOf(keys, found, place)).sort(([a], [b]) => (a < b ? -1 : 1))
    if (errors.length === 0) return more?.(found)
    return `format error\n${errors.map(([name, wrong]) => `${path}.${name}: ${wrong}`).join('\n')}`
  }

import { parseProperties } from '../wire/property-string.ts'
import type { Property, Schema } from './reference.ts'

export type SentRequest = { method: string; path: string; parameters: Map<string, string> }

/**
 * Checks one request against the published schema; an empty list means that PVE would accept it.
 */
export function complaints(schema: Schema, request: SentRequest): string[] {
  for (const endpoint of schema.endpoints) {
    if (endpoint.method !== request.method) continue
    const inPath = matchPath(endpoint.path, request.path)
    if (inPath === undefined) continue
    const given = new Map([...inPath, ...request.parameters])
    return checkAll(parametersOf(schema, endpoint.parameters), given)
  }
  return [`no such call: ${request.method} ${request.path}`]
}

function matchPath(template: string, path: string): Map<string, string> | undefined {
  const names = template.split('/')
  const parts = path.split('/').map(decodeURIComponent)
  if (names.length !== parts.length) return undefined
  const found = new Map<string, string>()
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? ''
    if (name.startsWith('{')) found.set(name.slice(1, -1), part)
    else if (name !== part) return undefined
  }
  return found
}

function parametersOf(schema: Schema, own: Record<string, Property | string>) {
  const all = new Map<string, Property>()
  for (const [name, value] of Object.entries(own)) {
    if (typeof value !== 'string') all.set(name, value)
    else
      for (const [key, property] of Object.entries(schema.defs[value] ?? {})) all.set(key, property)
  }
  return all
}

function checkAll(known: Map<string, Property>, given: Map<string, string>): string[] {
  const missing = [...known].flatMap(([name, property]) =>
    property.optional || name.includes('[n]') || given.has(name) ? [] : [`${name} is missing`],
  )
  const wrong = [...given].flatMap(([name, value]) => {
    const property = known.get(name) ?? known.get(name.replace(/\d+$/, '[n]'))
    return property ? checkValue(name, property, value) : [`${name} is not a parameter`]
  })
  return [...missing, ...wrong]
}

function checkValue(name: string, property: Property, value: string): string[] {
  const is = (fine: boolean, what: string) => (fine ? [] : [`${name}=${value}: ${what}`])
  const { type, pattern, minLength = 0, maxLength = Infinity } = property
  const number = Number(value)
  return [
    ...is(type !== 'boolean' || /^[01]$/.test(value), 'boolean'),
    ...is(type !== 'integer' || /^-?\d+$/.test(value), 'integer'),
    ...is(type !== 'number' || Number.isFinite(number), 'number'),
    ...is(property.enum?.includes(value) ?? true, 'enum'),
    ...is(number >= (property.minimum ?? -Infinity) || Number.isNaN(number), 'minimum'),
    ...is(number <= (property.maximum ?? Infinity) || Number.isNaN(number), 'maximum'),
    ...is(value.length >= minLength && value.length <= maxLength, 'length'),
    ...is(pattern === undefined || new RegExp(`^(?:${fromPerl(pattern)})$`).test(value), 'pattern'),
    ...checkFormat(name, property.format, value),
  ]
}

const fromPerl = (pattern: string) => pattern.replaceAll('(?^:', '(?:')

const FORMATS: Record<string, RegExp> = {
  'dns-name': /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*$/,
  'pve-configid-list': /^[A-Za-z][\w-]+(,[A-Za-z][\w-]+)*$/,
  'pve-node': /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/,
  'pve-poolid': /^[A-Za-z0-9._/-]+$/,
  'pve-storage-id': /^[A-Za-z][\w.-]*\w$/,
  'pve-tag-list': /^[a-z0-9_][a-z0-9_\-+.]*([;,][a-z0-9_][a-z0-9_\-+.]*)*$/,
  'pve-vmid': /^[1-9]\d{2,8}$/,
  urlencoded: /^[-%a-zA-Z0-9_.!~*'()]*$/,
}

function checkFormat(name: string, format: Property['format'], value: string): string[] {
  if (format === undefined) return []
  if (typeof format === 'string') {
    return (FORMATS[format]?.test(value) ?? true) ? [] : [`${name}=${value}: ${format}`]
  }
  const defaultKey = Object.entries(format).find(([, part]) => part.default_key)?.[0]
  return parseProperties(value).flatMap((part) => {
    const key = part.key ?? defaultKey ?? ''
    const property = format[format[key]?.alias ?? key]
    return property
      ? checkValue(`${name}.${key}`, property, part.value)
      : [`${name}: ${key} is not a sub-key`]
  })
}

import type { Version } from '../state/types.ts'
import { atLeast } from '../state/versions.ts'
import { badParameters } from '../wire/errors.ts'
import { FORMATS, type FormatName } from './names.ts'
import type { Place } from './property-format.ts'

/** One parameter, in the terms of PVE's own schemas. */
export type Param = {
  type: 'array' | 'string' | 'integer' | 'number' | 'boolean'
  optional?: boolean
  enum?: readonly string[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: RegExp
  format?: FormatName
  /** Another parameter that must be given as well. */
  requires?: string
  /** The first release that knows it. */
  since?: string
  /** Its definition before a release. */
  older?: { before: string; param: Param }
}

/** A name ending in [n] stands for a numbered family. */
export type Params = Record<string, Param>

type More = Omit<Param, 'type' | 'optional'>

export const text = (more: More = {}): Param => ({ type: 'string', ...more })
export const int = (more: More = {}): Param => ({ type: 'integer', ...more })
export const optional = ({ older, ...param }: Param): Param => ({
  ...param,
  optional: true,
  ...(older ? { older: { before: older.before, param: { ...older.param, optional: true } } } : {}),
})
export const flag = (more: More = {}): Param => ({ type: 'boolean', optional: true, ...more })
export const optText = (more: More = {}): Param => optional(text(more))
export const optInt = (more: More = {}): Param => optional(int(more))

export const NODE = text({ format: 'pve-node' })
export const VMID = int({
  minimum: 100,
  maximum: 999_999_999,
  format: 'pve-vmid',
  older: { before: '8.0', param: int({ minimum: 1, format: 'pve-vmid' }) },
})

const UNKNOWN =
  'property is not defined in schema and the schema does not allow additional properties'

/** The definition of a parameter in a release; undefined where the release does not know it yet. */
export function inRelease(param: Param, version: Version): Param | undefined {
  if (param.since && !atLeast(version, param.since)) return undefined
  return param.older && !atLeast(version, param.older.before) ? param.older.param : param
}

/** Finds `net0` under `net[n]`; ignores parameters of later releases. */
export function paramFor(schema: Params, name: string, version: Version): Param | undefined {
  const numbered = name.replace(/\d+$/, '[n]')
  // numa is both a flag and a family: numa, numa0.
  const param = Object.hasOwn(schema, name)
    ? schema[name]
    : Object.hasOwn(schema, numbered)
      ? schema[numbered]
      : undefined
  return param ? inRelease(param, version) : undefined
}

function checkType(param: Param, value: string): string | undefined {
  const failed = `type check ('${param.type}') failed - got '${value}'`
  if (param.type === 'boolean') return /^[01]$/.test(value) ? undefined : failed
  if (param.type === 'integer') return /^[+-]?\d+$/.test(value) ? undefined : failed
  if (param.type === 'number') {
    return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value) ? undefined : failed
  }
  return undefined
}

function checkLimits(param: Param, value: string): string | undefined {
  const { minimum, maximum, minLength, maxLength } = param
  if (minimum !== undefined && Number(value) < minimum) {
    return `value must have a minimum value of ${minimum}`
  }
  if (maximum !== undefined && Number(value) > maximum) {
    return `value must have a maximum value of ${maximum}`
  }
  if (minLength !== undefined && value.length < minLength) {
    return `value must be at least ${minLength} characters long`
  }
  if (maxLength !== undefined && value.length > maxLength) {
    return `value may only be ${maxLength} characters long`
  }
  return undefined
}

/** The first error in a value, in JSONSchema.pm's words. */
function checkValue(param: Param, value: string, place: Place): string | undefined {
  const type = checkType(param, value)
  if (type) return type
  if (param.format) {
    const wrong = FORMATS[param.format](value, place)
    if (wrong) return `invalid format - ${wrong}\n`
  }
  const isTooShort = value.length < (param.minLength ?? 0)
  const limits = checkLimits(param, value)
  if (limits && !isTooShort) return limits
  if (param.pattern && !param.pattern.test(value)) return 'value does not match the regex pattern'
  if (limits) return limits
  if (param.enum && !param.enum.includes(value)) {
    return `value '${value}' does not have a value in the enumeration '${param.enum.join(', ')}'`
  }
  return undefined
}

/** Throws PVE's 400 with one text per invalid parameter. */
export function validate(schema: Params, given: Map<string, string>, version: Version): void {
  const errors: Record<string, string> = {}
  for (const [name, value] of given) {
    const param = paramFor(schema, name, version)
    const wrong = param ? checkValue(param, value, { path: name, version }) : UNKNOWN
    if (wrong) errors[name] = wrong
    if (param?.requires && !given.has(param.requires)) {
      errors[param.requires] = `missing property - '${name}' requires this property`
    }
  }
  for (const [name, param] of Object.entries(schema)) {
    if (param.optional || given.has(name) || name.endsWith('[n]')) continue
    errors[name] ??= 'property is missing and it is not optional'
  }
  if (Object.keys(errors).length > 0) throw badParameters(errors)
}

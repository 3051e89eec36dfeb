import type { z } from 'zod'
import type { api as table } from '#shared/api/index.ts'
import type { ResponseOf } from '#shared/api/parts/route.ts'
import { type VmConfig, VmConfigUpdate } from '#shared/api/servers/instances.ts'
import { type Check, checked, type Issue } from '../../lib/forms/zod-resolver.ts'

export type ConfigReply = ResponseOf<typeof table.instances.config>
type Config = z.output<typeof VmConfig>
type NumberKey = 'memory' | 'cores' | 'sockets' | 'balloon'
type FlagKey = 'onboot' | 'protection' | 'agent' | 'numa'
type TextKey = 'bios' | 'machine' | 'bootdisk' | 'cpu' | 'ostype'
export type ConfigKey = NumberKey | FlagKey | TextKey

/** As typed: numbers are strings, flags true or false. */
export type ConfigFields = Record<NumberKey | TextKey, string> & Record<FlagKey, boolean>

const NUMBERS: readonly NumberKey[] = ['memory', 'cores', 'sockets', 'balloon']
const FLAGS: readonly FlagKey[] = ['onboot', 'protection', 'agent', 'numa']
const TEXTS: readonly TextKey[] = ['bios', 'machine', 'bootdisk', 'cpu', 'ostype']
const KEYS: readonly ConfigKey[] = [...NUMBERS, ...FLAGS, ...TEXTS]

export const LABELS: Record<ConfigKey, string> = {
  sockets: 'Sockets',
  cores: 'Cores',
  cpu: 'CPU type',
  numa: 'NUMA',
  memory: 'Memory (MB)',
  balloon: 'Balloon (MB)',
  bios: 'BIOS',
  machine: 'Machine',
  bootdisk: 'Boot disk',
  ostype: 'OS type',
  onboot: 'Start on boot',
  protection: 'Protection',
  agent: 'QEMU guest agent',
}

export function fieldsOf(config: ConfigReply): ConfigFields {
  const entries = KEYS.map((key) => [
    key,
    FLAGS.some((flag) => flag === key) ? config[key] === 1 : String(config[key]),
  ])
  return Object.fromEntries(entries) as ConfigFields
}

/** The body of the call: only what was changed, so that foreign values stay unchanged. */
export function changesOf(before: ConfigFields, after: ConfigFields): Partial<Config> {
  const changed = KEYS.filter((key) => before[key] !== after[key])
  return Object.fromEntries(changed.map((key) => [key, wireValue(after[key], key)]))
}

function wireValue(value: string | boolean, key: ConfigKey): string | number {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (!NUMBERS.some((number) => number === key)) return value
  return value.trim() === '' ? Number.NaN : Number(value)
}

const MEMORY_STEP = 512

/** The bounds apply to changed values only; the cluster's current values are accepted. */
export function checkConfig(before: ConfigFields, after: ConfigFields): Check {
  const changes = changesOf(before, after)
  const issues: Issue[] = (VmConfigUpdate.safeParse(changes).error?.issues ?? []).map(
    ({ path, message }) => ({ path, message: sentence(path[0], message) }),
  )
  if (issues.length === 0 && (changes.memory ?? 0) % MEMORY_STEP !== 0) {
    issues.push({ path: ['memory'], message: 'Memory must be a multiple of 512 MB' })
  }
  return checked(issues)
}

function sentence(key: PropertyKey | undefined, message: string): string {
  if (!message.startsWith('Invalid') && !message.startsWith('Too')) return message
  const label = LABELS[key as ConfigKey]
  return NUMBERS.some((number) => number === key)
    ? `${label.replace(/ \(MB\)$/, '')} must be a whole number`
    : `${label} is not valid`
}

/** These apply at once; the rest takes effect when the VM starts again. */
const AT_ONCE: readonly string[] = ['onboot', 'protection']

export const waitsForRestart = (keys: readonly string[]): string[] =>
  keys.filter((key) => !AT_ONCE.includes(key))

/** ['memory', 'cores'] → "Memory, Cores" */
export const keyWords = (keys: readonly string[]): string =>
  keys.map((key) => (LABELS[key as ConfigKey] ?? key).replace(/ \(MB\)$/, '')).join(', ')

type Option = { value: string; label: string }

/** The options, preceded by a value that is none of them. */
export const withForeign = (options: readonly Option[], value: string): readonly Option[] =>
  options.some((option) => option.value === value)
    ? options
    : [{ value, label: `${value} (as set in the cluster)` }, ...options]

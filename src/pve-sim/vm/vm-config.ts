import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { paramFor } from '../formats/params.ts'
import { parseProperties } from '../formats/property-string.ts'
import type { Snapshot, Version, Vm } from '../state/types.ts'
import { traits } from '../state/versions.ts'
import { die } from '../wire/errors.ts'
import { CONFIG, isNetKey } from './config-schema.ts'

const MASK = '**********'

/** SHA-1 over the configuration file, pending section included. */
export function digest(vm: Vm): string {
  const lines = (entries: [string, string | null][]) =>
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => `${key}: ${value}`)
  const text = [
    ...lines(Object.entries(vm.config)),
    '[PENDING]',
    ...lines(Object.entries(vm.pending)),
  ]
  return createHash('sha1').update(text.join('\n')).digest('hex')
}

/** Current values overlaid with the pending ones. */
export function pendingApplied(vm: Vm): Record<string, string> {
  const merged = { ...vm.config }
  for (const [key, value] of Object.entries(vm.pending)) {
    if (value === null) delete merged[key]
    else merged[key] = value
  }
  return merged
}

/** Perl sends integers and booleans as numbers, `number`s (cpulimit) as the original string. */
function wireValue(key: string, value: string, version: Version): string | number {
  if (key === 'cipassword') return MASK
  if (key === 'memory') return traits(version).strings.memory ? value : Number(value)
  const type = paramFor(CONFIG, key, version)?.type
  return type === 'integer' || type === 'boolean' ? Number(value) : value
}

export function renderConfig(vm: Vm, version: Version, current: boolean) {
  const config = current ? vm.config : pendingApplied(vm)
  const entries = Object.entries(config).map(([key, value]) => [
    key,
    wireValue(key, value, version),
  ])
  return { ...Object.fromEntries(entries), digest: digest(vm) }
}

export function snapshotNamed({ snapshots = [] }: Vm, name: string): Snapshot {
  const found = snapshots.find((snapshot) => snapshot.name === name)
  if (!found) throw die(`snapshot '${name}' does not exist`)
  return found
}

/** The configuration that a snapshot keeps, without secrets. */
export function renderSnapshot(vm: Vm, name: string, version: Version) {
  const { config, snaptime, parent, snapstate, description } = snapshotNamed(vm, name)
  const entries = Object.entries(config).map(([key, value]) => [
    key,
    wireValue(key, value, version),
  ])
  const { description: _, ...values } = Object.fromEntries(entries)
  return {
    ...values,
    // Its own, not the VM's of that time.
    ...(description ? { description } : {}),
    ...(parent ? { parent } : {}),
    ...(snapstate ? { snapstate } : {}),
    snaptime,
    digest: digest(vm),
  }
}

export function renderPending(vm: Vm, version: Version) {
  const keys = new Set([...Object.keys(vm.config), ...Object.keys(vm.pending)])
  return [...keys].sort().map((key) => {
    const value = vm.config[key]
    const pending = vm.pending[key]
    return {
      key,
      ...(value === undefined ? {} : { value: wireValue(key, value, version) }),
      ...(pending === null ? { delete: 1 } : {}),
      ...(typeof pending === 'string' ? { pending: wireValue(key, pending, version) } : {}),
    }
  })
}

/** Proxmox's own prefix, BC:24:11, since PVE 8. */
export function newMac(): string {
  return `BC:24:11:${[...randomBytes(3)].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':')}`
}

/** The same card with a new MAC, as every clone gets. */
function renewMac(value: string): string {
  return value.replace(/([0-9a-f]{2}:){5}[0-9a-f]{2}/i, () => newMac())
}

export function memoryMiB(config: Record<string, string>): number {
  const text = config.memory ?? '512'
  // Called for every VM of every list: plain numbers need no parsing.
  const plain = Number(text)
  return Number.isNaN(plain)
    ? Number(parseProperties(text, 'current').get('current') ?? 512)
    : plain
}

export const cpuCount = (config: Record<string, string>) =>
  Number(config.vcpus ?? Number(config.sockets ?? 1) * Number(config.cores ?? 1))

export const agentEnabled = (config: Record<string, string>) =>
  /^(1|on|yes|true)$/i.test(parseProperties(config.agent ?? '0', 'enabled').get('enabled') ?? '')

export const isWindows = (config: Record<string, string>) => /^w/.test(config.ostype ?? '')

export const vmName = (vm: Vm) => vm.config.name ?? `VM ${vm.vmid}`

export function requireUnlocked(vm: Vm): void {
  const lock = vm.config.lock
  if (lock) throw die(`VM is locked (${lock})`)
}

export function requireDigest(vm: Vm, given: string | undefined): void {
  if (given && given !== digest(vm)) throw die('checksum mismatch (file change by other user?)')
}

/** What a copy has of its own: MACs, SMBIOS uuid, generation id. */
export function newIdentity(config: Readonly<Record<string, string>>): Record<string, string> {
  const cards = Object.entries(config).filter(([key]) => isNetKey(key))
  return {
    ...Object.fromEntries(cards.map(([key, value]) => [key, renewMac(value)])),
    smbios1: `uuid=${randomUUID()}`,
    ...(config.vmgenid ? { vmgenid: randomUUID() } : {}),
  }
}

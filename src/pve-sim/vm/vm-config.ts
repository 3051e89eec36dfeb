import { createHash, randomBytes } from 'node:crypto'
import { paramFor } from '../formats/params.ts'
import { parseProperties } from '../formats/property-string.ts'
import type { ClusterData, Version, Vm } from '../state/types.ts'
import { atLeast, traits } from '../state/versions.ts'
import { badParameters, die } from '../wire/errors.ts'
import { appliesAtOnce, CONFIG, isDiskKey, isNetKey } from './config-schema.ts'
import { allocate, drives, isCloudinit } from './disks.ts'

const MASK = '**********'

/** SHA-1 over the configuration file, pending section included. */
function digest(vm: Vm): string {
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
function newMac(): string {
  return `BC:24:11:${[...randomBytes(3)].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':')}`
}

/** Gives a network card without a MAC one; everything else stays as written. */
function completeNet(value: string): string {
  const [first = '', ...rest] = value.split(',')
  if (first.includes('=') && !first.startsWith('model=')) return value
  if (rest.some((piece) => piece.startsWith('macaddr='))) return value
  return [`${first.replace(/^model=/, '')}=${newMac()}`, ...rest].join(',')
}

/** The same card with a new MAC, as every clone gets. */
export function renewMac(value: string): string {
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

export type Changes = { set: Record<string, string>; delete: string[]; revert: string[] }

/** Stores what the guest needs: PVE keeps a hash for Linux, the plain password for Windows. */
function storedPassword(vm: Vm, plain: string): string {
  vm.guest.password = plain
  if (isWindows(vm.config)) return plain
  const salt = randomBytes(6).toString('hex')
  return `$5$${salt}$${createHash('sha256')
    .update(salt + plain)
    .digest('base64')}`
}

function storedValue(data: ClusterData, vm: Vm, key: string, value: string, now: number): string {
  if (key === 'cipassword') return storedPassword(vm, value)
  if (isNetKey(key)) return completeNet(value)
  if (isDiskKey(key)) return allocate(data, vm, value, now)
  if (key === 'tags') return [...new Set(value.split(/[,;\s]+/).filter(Boolean))].sort().join(';')
  return value
}

/** Detaches a disk: it is not lost but becomes unusedN. */
function detachDisk(vm: Vm, key: string): void {
  const drive = drives(vm.config).find((candidate) => candidate.key === key)
  delete vm.config[key]
  if (!drive || drive.cdrom || isCloudinit(drive.volid) || !drive.storage) return
  let n = 0
  while (vm.config[`unused${n}`] !== undefined) n++
  vm.config[`unused${n}`] = drive.volid
}

/**
 * Errors that appear only when the changes are written: as a task's end, or as the answer of a PUT.
 */
function requireApplicable(vm: Vm, changes: Changes): void {
  const next = { ...pendingApplied(vm), ...changes.set }
  const order = /order=([^,]*)/.exec(changes.set.boot ?? '')?.[1]?.split(';') ?? []
  const absent = order.find((device) => device && next[device] === undefined)
  // The lone quotation mark is PVE's.
  if (absent) throw die(`invalid bootorder: device '${absent}' does not exist'`)
}

/** Model and MAC: a card on which either changes is unplugged and plugged in again. */
const cardOf = (value: string | undefined) => {
  const parts = parseProperties(value ?? '', 'model')
  const [name, address] = [...parts][0] ?? []
  return `${parts.get('model') ?? name} ${parts.get('macaddr') ?? address}`.toLowerCase()
}

/** A guest that is still booting does not release its card; the change waits for the next start. */
function requireUnplugged(version: Version, vm: Vm, changes: Record<string, string>): void {
  for (const [key, value] of Object.entries(changes)) {
    const before = vm.config[key]
    if (!isNetKey(key) || before === undefined || cardOf(before) === cardOf(value)) continue
    vm.pending[key] = value
    const guess = atLeast(version, '9.0') ? ' - still busy in guest?' : ''
    const problem = `error on hot-unplugging device '${key}'${guess}`
    throw badParameters({ [key]: `hotplug problem - ${problem}\n` })
  }
}

export type Moment = { now: number; booting: boolean }

/** Applies changes; on a running VM most of them wait for the next cold start. */
export function applyChanges(
  data: ClusterData,
  vm: Vm,
  changes: Changes,
  { now, booting }: Moment,
): void {
  requireApplicable(vm, changes)
  if (booting) requireUnplugged(data.version, vm, changes.set)
  const running = vm.qmp !== 'stopped'
  for (const key of changes.revert) delete vm.pending[key]
  for (const key of changes.delete) {
    // Earlier keys are already deleted: PVE writes after each one.
    if (isDiskKey(key) && vm.config[key] !== undefined && vm.config.protection === '1') {
      throw die(`can't remove drive '${key}' - protection mode enabled`)
    }
    if (running && !appliesAtOnce(key)) vm.pending[key] = null
    else {
      delete vm.pending[key]
      if (isDiskKey(key)) detachDisk(vm, key)
      else delete vm.config[key]
      if (key === 'cipassword') vm.guest.password = ''
    }
  }
  for (const [key, value] of Object.entries(changes.set)) {
    const stored = storedValue(data, vm, key, value, now)
    if (running && !appliesAtOnce(key) && vm.config[key] !== stored) vm.pending[key] = stored
    else {
      delete vm.pending[key]
      if (isDiskKey(key) && vm.config[key] && vm.config[key] !== stored) detachDisk(vm, key)
      vm.config[key] = stored
    }
  }
  if (/order=/.test(changes.set.boot ?? '')) delete vm.config.bootdisk
}

/** What a cold start does first. */
export function applyPending(vm: Vm): void {
  vm.config = pendingApplied(vm)
  vm.pending = {}
}

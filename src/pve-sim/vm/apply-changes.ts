import { randomBytes } from 'node:crypto'
import { parseProperties } from '../formats/property-string.ts'
import { sha256Crypt } from '../formats/sha256-crypt.ts'
import type { ClusterData, Version, Vm } from '../state/types.ts'
import { atLeast, traits } from '../state/versions.ts'
import { badParameters, die } from '../wire/errors.ts'
import { appliesAtOnce, isDiskKey, isNetKey } from './config-schema.ts'
import { allocate, bootOrder, bootVolume, isCloudinit, parseDrive } from './disks.ts'
import {
  changeSystem,
  forgetUsed,
  isSameDisk,
  isUnusedKey,
  leaveBootOrder,
  leavePlace,
  orderWithout,
  removeDisk,
} from './drive-changes.ts'
import { isWindows, newMac, pendingApplied } from './vm-config.ts'

export type Changes = {
  set: Record<string, string>
  delete: string[]
  revert: string[]
  /** Removes deleted disks instead of detaching them. */
  force?: boolean
}

export type Moment = { now: number; booting: boolean }

/** As PVE prints a card: with a MAC, and with its switches as numbers. */
function completeNet(given: string): string {
  const value = given
    .replace(/(firewall|link_down)=(on|yes|true)\b/gi, '$1=1')
    .replace(/(firewall|link_down)=(off|no|false)\b/gi, '$1=0')
  const [first = '', ...rest] = value.split(',')
  if (first.includes('=') && !first.startsWith('model=')) return value
  if (rest.some((piece) => piece.startsWith('macaddr='))) return value
  return [`${first.replace(/^model=/, '')}=${newMac()}`, ...rest].join(',')
}

const isCrypted = (value: string) => /^\$(?:[156]|2[ay])(\$.+){2}/.test(value)

/**
 * Stores what the guest needs: PVE keeps a hash for Linux, the plain password for Windows. What the
 * VM was before the change decides, also where the change has another `ostype`.
 */
function storedPassword(vm: Vm, plain: string, wasWindows: boolean): string {
  vm.guest.password = plain
  if (wasWindows) return plain
  return isCrypted(plain) ? plain : sha256Crypt(plain, randomBytes(6).toString('hex'))
}

type Written = { now: number; wasWindows: boolean }

function storedValue(data: ClusterData, vm: Vm, key: string, value: string, at: Written): string {
  const { now, wasWindows } = at
  if (key === 'cipassword') return storedPassword(vm, value, wasWindows)
  if (isNetKey(key)) return completeNet(value)
  if (isDiskKey(key)) return allocate(data, { vm, key, now }, value)
  if (key === 'tags') return [...new Set(value.split(/[,;\s]+/).filter(Boolean))].sort().join(';')
  return value
}

/**
 * Errors that appear only when the changes are written: as a task's end, or as the answer of a PUT.
 */
function requireApplicable(vm: Vm, changes: Changes): void {
  const next = { ...pendingApplied(vm), ...changes.set }
  const absent = bootOrder(changes.set).find((device) => next[device] === undefined)
  // The lone quotation mark is PVE's.
  if (absent) throw die(`invalid bootorder: device '${absent}' does not exist'`)
}

/** Model and MAC: a card on which either changes is unplugged and plugged in again. */
const cardOf = (value: string | undefined) => {
  const parts = parseProperties(value ?? '', 'model')
  const [name, address] = [...parts][0] ?? []
  return `${parts.get('model') ?? name} ${parts.get('macaddr') ?? address}`.toLowerCase()
}

const hotplugProblem = (key: string, problem: string) =>
  badParameters({ [key]: `hotplug problem - ${problem}\n` })

/** A guest that is still booting does not release its card; the change waits for the next start. */
function requireUnplugged(version: Version, vm: Vm, changes: Record<string, string>): void {
  for (const [key, value] of Object.entries(changes)) {
    const before = vm.config[key]
    if (!isNetKey(key) || before === undefined || cardOf(before) === cardOf(value)) continue
    vm.pending[key] = value
    const guess = atLeast(version, '9.0') ? ' - still busy in guest?' : ''
    throw hotplugProblem(key, `error on hot-unplugging device '${key}'${guess}`)
  }
}

/** A running VM keeps the disks that it may have booted from. */
const isHeld = (vm: Vm, key: string) => vm.qmp !== 'stopped' && bootOrder(vm.config).includes(key)

const unplugged = (key: string) => hotplugProblem(key, `can't unplug bootdisk '${key}'`)

/** These drives come and go with a cold start only; what is in them changes at once. */
const isFixed = (key: string) => /^(ide|sata)\d+$/.test(key)

function deleteDisk(data: ClusterData, vm: Vm, key: string, force: boolean): void {
  const value = vm.config[key]
  // Earlier keys are already deleted: PVE writes after each one.
  if (value !== undefined && vm.config.protection === '1') {
    throw die(`can't remove drive '${key}' - protection mode enabled`)
  }
  dropPending(data, vm, key)
  if (value === undefined) return
  const isHeldFast = vm.qmp !== 'stopped' && isFixed(key)
  if (isHeldFast || isHeld(vm, key)) {
    vm.pending[key] = null
    if (bootOrder(vm.config).includes(key)) vm.pending.boot = orderWithout(vm, key)
    if (!isHeldFast) throw unplugged(key)
    return
  }
  leaveBootOrder(vm, key)
  if (force) {
    removeDisk(data, vm, key)
    return
  }
  delete vm.config[key]
  leavePlace(data, vm, value)
}

function deleteUnused(data: ClusterData, vm: Vm, key: string): void {
  const volid = vm.config[key]
  if (volid === undefined) return
  if (vm.config.protection === '1') {
    throw die(`can't remove unused disk '${volid}' - protection mode enabled`)
  }
  removeDisk(data, vm, key)
}

function deleteKey(data: ClusterData, vm: Vm, key: string, force: boolean): void {
  if (isUnusedKey(key)) deleteUnused(data, vm, key)
  else if (vm.qmp !== 'stopped' && !appliesAtOnce(key)) vm.pending[key] = null
  else if (isDiskKey(key)) deleteDisk(data, vm, key, force)
  else {
    delete vm.pending[key]
    delete vm.config[key]
    if (key === 'cipassword') vm.guest.password = ''
  }
}

/** A disk that was to come at the next start, and now is not, becomes unused like any other. */
function dropPending(data: ClusterData, vm: Vm, key: string): void {
  const waiting = vm.pending[key]
  if (isDiskKey(key) && waiting) leavePlace(data, vm, waiting)
  delete vm.pending[key]
}

/** PVE forgets the cloud-init drive of a running VM when another CD takes its place. */
const staysBehind = (vm: Vm, before: string, stored: string) =>
  vm.qmp !== 'stopped' &&
  isCloudinit(parseDrive('', before).volid) &&
  parseDrive('', stored).volid !== 'none'

function setKey(data: ClusterData, vm: Vm, key: string, stored: string): void {
  const before = vm.config[key]
  dropPending(data, vm, key)
  const waits = !appliesAtOnce(key) || (isFixed(key) && before === undefined)
  if (vm.qmp !== 'stopped' && waits && before !== stored) {
    vm.pending[key] = stored
    return
  }
  if (isDiskKey(key) && before !== undefined && !isSameDisk(before, stored)) {
    // As PVE writes it first: from then on the disk is not unused, and its place there is free.
    vm.pending[key] = stored
    forgetUsed(vm)
    if (isHeld(vm, key) && !before.includes('media=cdrom')) throw unplugged(key)
    if (!staysBehind(vm, before, stored)) leavePlace(data, vm, before)
    delete vm.pending[key]
  }
  vm.config[key] = stored
}

/**
 * PVE pins the version of the machine of a VM that becomes a Windows one (qemu-server 8.3.4), and never
 * takes that back. Deleting a machine that is not there does not keep it from that.
 */
export function pinnedMachine(version: Version, vm: Vm, changes: Changes): string | undefined {
  const { set, delete: deleted } = changes
  const isDeleted = deleted.includes('machine') && pendingApplied(vm).machine !== undefined
  const isOwn = set.machine !== undefined || isDeleted || vm.pending.machine
  if (!atLeast(version, '8.4') || isOwn || !isWindows(set)) return undefined
  const [type = '', ...rest] = (vm.config.machine ?? 'pc').split(',')
  const family = { pc: 'pc-i440fx', q35: 'pc-q35' }[type.replace(/^type=/, '')]
  if (family === undefined) return undefined
  const { qemu } = traits(version)
  return [`${family}-${qemu.split('.').slice(0, 2).join('.')}+pve0`, ...rest].join(',')
}

/**
 * A CD that is inserted can be booted from, unless it is the cloud-init drive. It joins the order in
 * effect: one that waits for the next start is lost.
 */
function makeBootable(data: ClusterData, vm: Vm, key: string, stored: string): void {
  const order = bootOrder(vm.config)
  const { cdrom, volid } = parseDrive(key, stored)
  if (!cdrom || isCloudinit(volid) || order.length === 0 || order.includes(key)) return
  setKey(data, vm, 'boot', `order=${[...order, key].join(';')}`)
}

/** Applies changes; on a running VM most of them wait for the next cold start. */
export function applyChanges(
  data: ClusterData,
  vm: Vm,
  changes: Changes,
  { now, booting }: Moment,
): void {
  requireApplicable(vm, changes)
  const at = { now, wasWindows: isWindows(vm.config) }
  const machine = pinnedMachine(data.version, vm, changes)
  if (booting) requireUnplugged(data.version, vm, changes.set)
  const before = bootVolume(vm.config)
  try {
    for (const key of changes.revert) dropPending(data, vm, key)
    for (const key of changes.delete) deleteKey(data, vm, key, changes.force ?? false)
    for (const [key, value] of Object.entries(changes.set)) {
      const stored = storedValue(data, vm, key, value, at)
      setKey(data, vm, key, stored)
      if (isDiskKey(key)) makeBootable(data, vm, key, stored)
    }
    if (machine !== undefined) setKey(data, vm, 'machine', machine)
    if (/order=/.test(changes.set.boot ?? '')) delete vm.config.bootdisk
  } finally {
    forgetUsed(vm)
    changeSystem(data, vm, before)
  }
  // Whatever an earlier change left behind takes effect, too.
  if (vm.qmp === 'stopped') applyPending(data, vm)
}

/** What a cold start does first. */
export function applyPending(data: ClusterData, vm: Vm): void {
  const before = bootVolume(vm.config)
  for (const [key, value] of Object.entries(vm.pending)) {
    const old = vm.config[key]
    const leaves = value === null || !isSameDisk(old, value)
    if (isDiskKey(key) && old !== undefined && leaves) leavePlace(data, vm, old)
  }
  vm.config = pendingApplied(vm)
  vm.pending = {}
  forgetUsed(vm)
  changeSystem(data, vm, before)
}

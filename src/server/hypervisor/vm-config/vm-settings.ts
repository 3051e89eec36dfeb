import type { PendingValue, VmConfig } from '#proxmox/calls/vm-answers.ts'
import { DEFAULT_KEY, getProperty, setProperty } from '#proxmox/wire/property-string.ts'
import { AppError } from '#shared/errors.ts'
import type { VmSettings, VmSettingsChange } from '../port/hypervisor.ts'
import { uuidOf } from '../vm/vm-access.ts'

type Values = VmConfig['values']
const DISKS = /^(ide|sata|scsi|virtio)\d+$/

/** The configuration screen's fields, with PVE's defaults for absent keys (facts §0, §10). */
export function readSettings(config: VmConfig, pending: readonly PendingValue[]): VmSettings {
  const { values } = config
  const memory = Number(getProperty(values.memory ?? '512', 'current', DEFAULT_KEY.memory) ?? 512)
  return {
    memory,
    cores: Number(values.cores ?? 1),
    sockets: Number(values.sockets ?? 1),
    bios: values.bios ?? 'seabios',
    machine: readMachine(values.machine),
    bootdisk: readBootDisk(values),
    onboot: values.onboot === '1',
    protection: values.protection === '1',
    agent: getProperty(values.agent ?? '0', 'enabled', DEFAULT_KEY.agent) === '1',
    balloon: Number(values.balloon ?? memory),
    cpu: getProperty(values.cpu ?? 'kvm64', 'cputype', DEFAULT_KEY.cpu) ?? 'kvm64',
    numa: values.numa === '1',
    ostype: values.ostype ?? 'other',
    description: values.description ?? '',
    digest: config.digest,
    pending: pending.flatMap(pendingField),
    uuid: uuidOf(config),
  }
}

const pendingField = ({ key, pending, delete: removed }: PendingValue) =>
  pending !== undefined || (removed ?? 0) > 0 ? [key === 'boot' ? 'bootdisk' : key] : []

/** PVE's `pc…` is commonly called i440fx, and is its default. */
function readMachine(value = ''): string {
  const type = getProperty(value, 'type', DEFAULT_KEY.machine) ?? ''
  if (type === 'q35' || type.startsWith('pc-q35')) return 'q35'
  return type === '' || type.startsWith('pc') ? 'i440fx' : type
}

const bootOrder = (values: Values) =>
  getProperty(values.boot ?? '', 'order')
    ?.split(';')
    .filter(Boolean)

export function readBootDisk(values: Values): string {
  const ordered = bootOrder(values)?.find(
    (device) => DISKS.test(device) && !isCdrom(values[device]),
  )
  const first = Object.keys(values).filter((key) => DISKS.test(key) && !isCdrom(values[key]))
  return ordered ?? values.bootdisk ?? first.toSorted()[0] ?? 'scsi0'
}

const isCdrom = (drive = '') => /media=cdrom|cloudinit/.test(drive)

/**
 * The keys to send so that these settings apply: only those that differ, and inside property
 * strings only the sub-key in question, so that unknown values survive (decision I10).
 */
export function settingsToKeys(config: VmConfig, change: VmSettingsChange): Record<string, string> {
  const { values } = config
  const now = readSettings(config, [])
  // A form sends every field. Unchanged fields were not requested: above all the balloon, which
  // follows the memory.
  const wanted = Object.fromEntries(
    Object.entries(change).filter(
      ([name, value]) => value !== undefined && value !== now[name as keyof VmSettings],
    ),
  ) as Partial<VmSettings>
  guard(values, { ...now, ...wanted }, wanted)
  const keys: Record<string, string> = {}
  for (const [field, write] of Object.entries(WRITERS)) {
    const name = field as keyof typeof WRITERS
    const value = wanted[name]
    if (value !== undefined) Object.assign(keys, write(values, value))
  }
  return keys
}

type Writer = (values: Values, value: boolean | number | string) => Record<string, string>

const plain =
  (key: string): Writer =>
  (_, value) => ({ [key]: typeof value === 'boolean' ? String(Number(value)) : String(value) })

const sub =
  (key: 'agent' | 'cpu' | 'machine' | 'memory'): Writer =>
  (values, value) => {
    const defaultKey = DEFAULT_KEY[key]
    const text = typeof value === 'boolean' ? String(Number(value)) : String(value)
    return { [key]: setProperty(values[key] ?? '', { key: defaultKey, value: text, defaultKey }) }
  }

const WRITERS = {
  memory: sub('memory'),
  cores: plain('cores'),
  sockets: plain('sockets'),
  bios: plain('bios'),
  machine: (values, value) => sub('machine')(values, value === 'i440fx' ? 'pc' : value),
  bootdisk: (values, value) => {
    const others = (bootOrder(values) ?? []).filter((device) => device !== value)
    return { boot: `order=${[value, ...others].join(';')}` }
  },
  onboot: plain('onboot'),
  protection: plain('protection'),
  agent: sub('agent'),
  balloon: plain('balloon'),
  cpu: sub('cpu'),
  numa: plain('numa'),
  ostype: plain('ostype'),
  description: plain('description'),
} satisfies Record<keyof Omit<VmSettingsChange, 'digest'>, Writer>

/**
 * Refuses settings with which the VM could not start although PVE accepts them, or which PVE
 * refuses with an unclear message.
 */
function guard(values: Values, next: VmSettings, change: VmSettingsChange): void {
  if (change.bios === 'ovmf' && values.bios !== 'ovmf' && values.efidisk0 === undefined) {
    throw invalid('bios', 'OVMF needs an EFI disk, and this VM has none: add one in Proxmox first.')
  }
  if (change.bootdisk !== undefined && values[change.bootdisk] === undefined) {
    throw invalid('bootdisk', `This VM has no disk ${change.bootdisk}.`)
  }
  if ((change.balloon !== undefined || change.memory !== undefined) && next.balloon > next.memory) {
    // Absent means "as much as the memory", and follows it.
    if (values.balloon === undefined && change.balloon === undefined) return
    throw invalid('balloon', 'Balloon must not be larger than the memory.')
  }
}

const invalid = (field: string, message: string) =>
  new AppError('INVALID_INPUT', message, { details: { [field]: message } })

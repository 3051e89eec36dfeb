import type { OperatingSystem } from '#shared/api/servers/operating-systems.ts'
import { type Package, PackageCreate } from '#shared/api/shop/packages.ts'
import { BACKUP_LIMIT } from '#shared/rules/instance/backups.ts'
import { SNAPSHOT_DAYS, SNAPSHOT_QUOTA } from '#shared/rules/instance/snapshots.ts'
import { SLOW_MBIT, type TrafficCounts } from '#shared/rules/network/traffic.ts'

/** As typed: numbers are strings until they are sent. */
export type PackageFields = {
  name: string
  description: string
  cpu: string
  ram: string
  storage: string
  bandwidth: string
  traffic: string
  price: string
  popular: boolean
  active: boolean
  osOptions: string[]
  specialNote: string
  snapshotQuota: string
  snapshotDays: string
  backupLimit: string
  ipv6Only: boolean
  rateMbit: string
  trafficGb: string
  trafficCounts: TrafficCounts
  slowMbit: string
  mailOpen: boolean
  lastBackup: boolean
}

export const EMPTY_PACKAGE: PackageFields = {
  name: '',
  description: '',
  cpu: '',
  ram: '',
  storage: '',
  bandwidth: '',
  traffic: '',
  price: '',
  popular: false,
  active: true,
  osOptions: ['Ubuntu 22.04'],
  specialNote: '',
  snapshotQuota: String(SNAPSHOT_QUOTA),
  snapshotDays: String(SNAPSHOT_DAYS),
  backupLimit: String(BACKUP_LIMIT),
  ipv6Only: false,
  rateMbit: '',
  trafficGb: '',
  trafficCounts: 'both',
  slowMbit: String(SLOW_MBIT),
  mailOpen: false,
  lastBackup: false,
}

const textOf = (limit: number | null) => (limit === null ? '' : String(limit))

export const fieldsOf = (plan: Package): PackageFields => ({
  name: plan.name,
  description: plan.description ?? '',
  cpu: plan.cpu,
  ram: plan.ram,
  storage: plan.storage,
  bandwidth: plan.bandwidth ?? '',
  traffic: plan.traffic ?? '',
  price: String(plan.price),
  popular: plan.popular,
  active: plan.active,
  osOptions: plan.osOptions,
  specialNote: plan.specialNote ?? '',
  snapshotQuota: String(plan.snapshotQuota),
  snapshotDays: String(plan.snapshotDays),
  backupLimit: String(plan.backupLimit),
  ipv6Only: plan.ipv6Only,
  rateMbit: textOf(plan.rateMbit),
  trafficGb: textOf(plan.trafficGb),
  trafficCounts: plan.trafficCounts,
  slowMbit: String(plan.slowMbit),
  mailOpen: plan.mailOpen,
  lastBackup: plan.lastBackup,
})

/** A copy to start from; off sale until an operator has checked it. */
export const copyOf = (plan: Package): PackageFields => ({
  ...fieldsOf(plan),
  name: `${plan.name} (copy)`,
  active: false,
})

/** An empty field is not a number: the schema says so. */
const numberOf = (text: string) => (text.trim() === '' ? Number.NaN : Number(text))

/** An empty limit is none: 0 would be another thing. */
const limitOf = (text: string) => (text.trim() === '' ? null : Number(text))

/** The body of the call. */
export const bodyOf = (fields: PackageFields) => ({
  ...fields,
  price: numberOf(fields.price),
  snapshotQuota: numberOf(fields.snapshotQuota),
  snapshotDays: numberOf(fields.snapshotDays),
  backupLimit: numberOf(fields.backupLimit),
  rateMbit: limitOf(fields.rateMbit),
  trafficGb: limitOf(fields.trafficGb),
  slowMbit: numberOf(fields.slowMbit),
})

export const checkPackage = (fields: PackageFields) => PackageCreate.safeParse(bodyOf(fields))

/** The active systems, and those already chosen for this package. */
export function osChoices(systems: readonly OperatingSystem[], chosen: readonly string[]) {
  const active = systems.filter(({ isActive }) => isActive).map(({ name }) => name)
  return [...new Set([...active, ...chosen])]
}

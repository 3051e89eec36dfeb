import { z } from 'zod'
import { BACKUP_LIMIT, MOST_BACKUPS } from '../../rules/instance/backups.ts'
import {
  MOST_SNAPSHOT_DAYS,
  MOST_SNAPSHOTS,
  SNAPSHOT_DAYS,
  SNAPSHOT_QUOTA,
} from '../../rules/instance/snapshots.ts'
import {
  MOST_MBIT,
  MOST_TRAFFIC_GB,
  SLOW_MBIT,
  TRAFFIC_COUNTS,
} from '../../rules/network/traffic.ts'
import { nothing, optionalText, orNull, required, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

const FILL_IN = 'Please fill in all required fields.'
const QUOTA = `Snapshots must be 0 to ${MOST_SNAPSHOTS}`
const RATE = `Bandwidth must be 1 to ${MOST_MBIT} Mbit/s; leave it empty for unlimited`
const TRAFFIC = `Traffic must be 0 to ${MOST_TRAFFIC_GB} GB; leave it empty for unlimited`
const SLOW = `The rate after that must be 1 to ${MOST_MBIT} Mbit/s`
const BACKUPS = `Backups must be 0 to ${MOST_BACKUPS}`
const DAYS = `Days must be 1 to ${MOST_SNAPSHOT_DAYS}`

export const PublicPackage = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  cpu: z.string(),
  ram: z.string(),
  storage: z.string(),
  bandwidth: z.string().nullable(),
  traffic: z.string().nullable(),
  price: z.number(),
  popular: z.boolean(),
  active: z.boolean(),
  osOptions: z.array(z.string()),
  specialNote: z.string().nullable(),
  /** How many snapshots a server of it may have, and for how many days. */
  snapshotQuota: z.number().int(),
  snapshotDays: z.number().int(),
  /** How many backups a server of it may have; 0 for none. */
  backupLimit: z.number().int(),
  /** Whether a server of it is backed up once more when its time ends. */
  lastBackup: z.boolean(),
  /** Its servers have an IPv6 address alone. */
  ipv6Only: z.boolean(),
  /** The limit of a server's card; null is unlimited. */
  rateMbit: z.number().int().nullable(),
  /** The traffic of one period; null is unlimited, 0 is none. */
  trafficGb: z.number().int().nullable(),
  trafficCounts: z.enum(TRAFFIC_COUNTS),
  /** What a server that has used its traffic up is slowed to. */
  slowMbit: z.number().int(),
  /** Whether its servers may send mail to other servers, by port 25. */
  mailOpen: z.boolean(),
  /** No node has room for it now. */
  soldOut: z.boolean(),
})
export type PublicPackage = z.output<typeof PublicPackage>

export const Package = PublicPackage.omit({ soldOut: true }).extend({
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Package = z.output<typeof Package>

const PackageFields = z.object({
  name: required(FILL_IN, 100),
  description: orNull(optionalText(500)),
  cpu: required(FILL_IN, 50),
  ram: required(FILL_IN, 50),
  storage: required(FILL_IN, 50),
  bandwidth: orNull(optionalText(50)),
  traffic: orNull(optionalText(50)),
  price: z
    .number({ error: FILL_IN })
    .min(0, 'Price must be a valid positive number')
    .max(1_000_000, 'Price must be at most 1,000,000')
    .multipleOf(0.01, 'Price must have at most two decimals'),
  popular: z.boolean(),
  active: z.boolean(),
  osOptions: z.array(required(FILL_IN, 100)).max(50),
  specialNote: orNull(optionalText(500)),
  snapshotQuota: z.number({ error: QUOTA }).int(QUOTA).min(0, QUOTA).max(MOST_SNAPSHOTS, QUOTA),
  snapshotDays: z.number({ error: DAYS }).int(DAYS).min(1, DAYS).max(MOST_SNAPSHOT_DAYS, DAYS),
  backupLimit: z.number({ error: BACKUPS }).int(BACKUPS).min(0, BACKUPS).max(MOST_BACKUPS, BACKUPS),
  lastBackup: z.boolean(),
  ipv6Only: z.boolean(),
  rateMbit: z.number({ error: RATE }).int(RATE).min(1, RATE).max(MOST_MBIT, RATE).nullable(),
  trafficGb: z
    .number({ error: TRAFFIC })
    .int(TRAFFIC)
    .min(0, TRAFFIC)
    .max(MOST_TRAFFIC_GB, TRAFFIC)
    .nullable(),
  trafficCounts: z.enum(TRAFFIC_COUNTS),
  slowMbit: z.number({ error: SLOW }).int(SLOW).min(1, SLOW).max(MOST_MBIT, SLOW),
  mailOpen: z.boolean(),
})

export const PackageCreate = PackageFields.extend({
  popular: PackageFields.shape.popular.default(false),
  active: PackageFields.shape.active.default(true),
  osOptions: PackageFields.shape.osOptions.default(['Ubuntu 22.04']),
  snapshotQuota: PackageFields.shape.snapshotQuota.default(SNAPSHOT_QUOTA),
  snapshotDays: PackageFields.shape.snapshotDays.default(SNAPSHOT_DAYS),
  backupLimit: PackageFields.shape.backupLimit.default(BACKUP_LIMIT),
  lastBackup: PackageFields.shape.lastBackup.default(false),
  ipv6Only: PackageFields.shape.ipv6Only.default(false),
  rateMbit: PackageFields.shape.rateMbit.default(null),
  trafficGb: PackageFields.shape.trafficGb.default(null),
  trafficCounts: PackageFields.shape.trafficCounts.default('both'),
  slowMbit: PackageFields.shape.slowMbit.default(SLOW_MBIT),
  mailOpen: PackageFields.shape.mailOpen.default(false),
})

/** Without defaults: a field that is not sent is not changed. */
export const PackageUpdate = PackageFields.partial()

const packageParams = z.object({ id: z.string().regex(/^[\w-]{1,40}$/) })

export const packages = {
  public: route({
    method: 'GET',
    path: '/api/packages/public',
    access: 'public',
    scope: 'any',
    summary: 'The plans on sale',
    response: z.array(PublicPackage),
  }),
  list: route({
    method: 'GET',
    path: '/api/packages',
    access: 'admin',
    staff: 'look',
    summary: 'All packages',
    response: z.array(Package),
  }),
  create: route({
    method: 'POST',
    path: '/api/packages',
    idempotent: true,
    access: 'admin',
    staff: 'money',
    summary: 'Add a package',
    body: PackageCreate,
    response: Package,
    status: 201,
  }),
  update: route({
    method: 'PUT',
    path: '/api/packages/:id',
    access: 'admin',
    staff: 'money',
    summary: 'Change a package',
    params: packageParams,
    body: PackageUpdate,
    response: Package,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/packages/:id',
    access: 'admin',
    staff: 'money',
    summary: 'Delete a package',
    params: packageParams,
    response: nothing,
    status: 204,
  }),
}

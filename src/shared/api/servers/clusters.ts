import { z } from 'zod'
import { Id, idParams, nothing, optionalText, required, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

const VM_ID = 'VM ids lie between 100 and 999999999'
const VmId = z.number().int().min(100, VM_ID).max(999_999_999, VM_ID)

/** How new VMs are created on this cluster (P8, P9). */
export const ClusterSettings = z.object({
  vmIdRange: z
    .object({ first: VmId, last: VmId })
    .refine(({ first, last }) => first < last, 'The first VM id must be smaller than the last'),
  pool: optionalText(60).nullish(),
  storage: optionalText(60).nullish(),
  /** Where backups of servers go; none can be made without it. */
  backupStorage: optionalText(60).nullish(),
  cloneMode: z.enum(['full', 'linked']),
  directConsole: z.boolean(),
  /**
   * Sets passwords in guests through their agent. The privilege for it also allows running commands
   * as root in every guest, so it is requested only where an operator wants it.
   */
  guestAgent: z.boolean().default(false),
})
export type ClusterSettings = z.output<typeof ClusterSettings>

/** The privileges the credentials lack, with the commands that grant them. */
export const Diagnosis = z.object({
  version: z.string(),
  missing: z.array(
    z.object({ path: z.string(), privileges: z.array(z.string()), why: z.string() }),
  ),
  /** Optional privileges, and what does not work without them. */
  optional: z.array(
    z.object({
      path: z.string(),
      privileges: z.array(z.string()),
      why: z.string(),
      /** How to grant them, where no setting of ours does. */
      commands: z.array(z.string()),
    }),
  ),
  commands: z.array(z.string()),
})
export type Diagnosis = z.output<typeof Diagnosis>

/** What is wrong with a connected cluster. */
const Examination = Diagnosis.extend({
  /** VMs whose id a former server had, whose archives are still there. */
  reused: z.array(
    z.object({ vmId: z.number().int(), name: z.string(), storages: z.array(z.string()) }),
  ),
})
export type Examination = z.output<typeof Examination>

/** Without the password, which never leaves the server again. */
export const Cluster = z.object({
  id: Id,
  name: z.string(),
  host: z.string(),
  port: z.number().int(),
  username: z.string(),
  isDefault: z.boolean(),
  status: z.enum(['connected', 'disconnected']),
  tlsFingerprint: z.string().nullable(),
  /** Why the cluster is disconnected, in a sentence; null while it answers. */
  problem: z.string().nullable(),
  lastSyncAt: Timestamp.nullable(),
  settings: ClusterSettings,
  createdAt: Timestamp,
})
export type Cluster = z.output<typeof Cluster>

const PORT = 'Port must be a number from 1 to 65535'

export const ClusterCreate = z.object({
  name: required('Cluster name is required', 100),
  host: required('Host is required', 253).regex(
    /^[A-Za-z0-9.:_-]+$/,
    'Host must be a name or an address, without https:// and without a path',
  ),
  port: z.number({ error: PORT }).int(PORT).min(1, PORT).max(65_535, PORT).default(8006),
  /** `user@realm`, or `user@realm!id` for an API token. */
  username: required('Username is required', 100),
  password: z.string({ error: 'Password is required' }).min(1, 'Password is required').max(512),
  isDefault: z.boolean().default(false),
  /** The certificate that the admin has seen and trusts. */
  tlsFingerprint: z
    .string()
    .regex(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/, 'Fingerprint must be 32 hex pairs, as shown')
    .optional(),
})

/** A missing or empty password keeps the stored one. */
export const ClusterUpdate = ClusterCreate.omit({ port: true, isDefault: true })
  .extend({
    port: ClusterCreate.shape.port.unwrap(),
    password: z
      .union([ClusterCreate.shape.password, z.literal('')])
      .transform((password) => password || undefined),
    isDefault: z.boolean(),
    settings: ClusterSettings,
  })
  .partial()

export const clusters = {
  list: route({
    method: 'GET',
    path: '/api/clusters',
    access: 'admin',
    staff: 'look',
    summary: 'The connected clusters',
    response: z.array(Cluster),
  }),
  create: route({
    method: 'POST',
    path: '/api/clusters',
    idempotent: true,
    access: 'admin',
    staff: 'run',
    summary: 'Connect a cluster and read what is in it',
    body: ClusterCreate,
    response: Cluster,
    status: 201,
  }),
  test: route({
    method: 'POST',
    path: '/api/clusters/test',
    access: 'admin',
    staff: 'run',
    summary: 'Try a connection without storing it',
    body: ClusterCreate,
    response: z.object({ fingerprint: z.string(), diagnosis: Diagnosis }),
  }),
  update: route({
    method: 'PUT',
    path: '/api/clusters/:id',
    access: 'admin',
    staff: 'run',
    summary: 'Change a connection or how new VMs are made in it',
    params: idParams,
    body: ClusterUpdate,
    response: Cluster,
  }),
  diagnosis: route({
    method: 'GET',
    path: '/api/clusters/:id/permissions',
    access: 'admin',
    staff: 'look',
    summary: 'What the credentials of a cluster lack, and VM ids that archives of others belong to',
    params: idParams,
    response: Examination,
  }),
  backupStorages: route({
    method: 'GET',
    path: '/api/clusters/:id/backup-storages',
    access: 'admin',
    staff: 'look',
    summary: 'The storages of a cluster that take backups',
    params: idParams,
    response: z.array(
      z.object({
        storage: z.string(),
        type: z.string(),
        isShared: z.boolean(),
        used: z.number(),
        total: z.number(),
      }),
    ),
  }),
  state: route({
    method: 'GET',
    path: '/api/cluster-state',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'Whether the clusters answer, for the header',
    response: z.object({ state: z.enum(['online', 'degraded', 'offline', 'none']) }),
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/clusters/:id',
    access: 'admin',
    staff: 'run',
    summary: 'Disconnect a cluster nothing depends on',
    params: idParams,
    response: nothing,
    status: 204,
  }),
}

import { z } from 'zod'
import { CD_KINDS } from '../../rules/instance/cds.ts'
import { SERVER_ACTS } from '../../rules/instance/server-acts.ts'
import {
  Id,
  idParams,
  nothing,
  optionalText,
  orNull,
  required,
  Timestamp,
} from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Traffic } from '../parts/traffic.ts'
import { Hostname, Label, UserDataOffer, Wishes } from '../parts/wishes.ts'
import { Instance, Started } from '../servers/instances.ts'
import { PlannedPackage } from '../shop/package-change.ts'
import { Job } from './dashboard.ts'

/** Whether something can be done with a server now, and if not, why. */
const Possible = z.object({ allowed: z.boolean(), why: z.string().nullable() })

/** A key by which a server proved itself when its SSH port was asked, without signing in. */
const HostKey = z.object({
  type: z.string(),
  /** `SHA256:…`, as an SSH client shows it. */
  fingerprint: z.string(),
  /** A line for the file `known_hosts`. */
  knownHosts: z.string(),
  /** When it answered with this key for the first and for the last time. */
  seenAt: Timestamp,
  lastSeenAt: Timestamp,
  /** When it last had another key of this type before. */
  changedAt: Timestamp.nullable(),
})

/** Everything the page of one server shows; operators see more than its owner. */
export const Server = z.object({
  id: Id,
  label: z.string(),
  /** What Hushbox or Proxmox called it first. */
  name: z.string(),
  hostname: z.string().nullable(),
  status: z.string(),
  /** Why the last power action failed. */
  failure: z.string().nullable(),
  uptime: z.number().int(),
  cpuUsage: z.number().nullable(),
  memoryUsed: z.number().nullable(),
  /** When the cluster last told its state. */
  lastUpdated: Timestamp.nullable(),
  createdAt: Timestamp,
  tokenId: Id.nullable(),
  packageName: z.string().nullable(),
  size: z.object({
    cpu: z.number().int(),
    ramGb: z.number().int(),
    diskGb: z.number().int(),
    diskKind: z.enum(['SSD', 'HDD']),
  }),
  osType: z.string().nullable(),
  /** The one to connect to comes first. */
  addresses: z.array(z.string()),
  domain: z.string().nullable(),
  macAddress: z.string().nullable(),
  username: z.string().nullable(),
  hasPassword: z.boolean(),
  /** How a new password reaches a running server: at once by its agent, or by a restart. */
  passwordWay: z.enum(['agent', 'restart']),
  /** It was handed over, and the login of its new owner is not in force yet. */
  isLoginPending: z.boolean(),
  /** It was started from a CD, or is in rescue. */
  cd: z.enum(CD_KINDS).nullable(),
  /** A code to hand it over is open until then. The code itself is shown only once. */
  transfer: z.object({ expiresAt: Timestamp }).nullable(),
  sshKeys: z.array(z.object({ fingerprint: z.string(), name: z.string().nullable() })),
  hostKeys: z.array(HostKey),
  /** The state of the time its client has with it; null where it has no client. */
  term: z.enum(['pending', 'assigned', 'expired', 'cancelled']).nullable(),
  durationDays: z.number().int().nullable(),
  /** What its next term costs. */
  monthlyPrice: z.string().nullable(),
  /** The package it gets with its next term. */
  nextPackage: PlannedPackage.nullable(),
  paidUntil: Timestamp.nullable(),
  /** For a server that ended: it is not deleted before this moment. */
  keptUntil: Timestamp.nullable(),
  suspended: Instance.shape.suspended,
  traffic: Traffic,
  /** For how many days it has had no backup, where its package has some and that is too long. */
  daysWithoutBackup: z.number().int().nullable(),
  /** Work under way on it, or the last that failed. */
  jobs: z.array(Job.omit({ ownerId: true, startedAt: true, isStuck: true })),
  can: z.record(z.enum(SERVER_ACTS), Possible),
  /** For operators only; null for its owner. */
  operator: z
    .object({
      vmId: z.number().int(),
      cluster: z.object({ id: Id, name: z.string() }),
      node: z.string().nullable(),
      client: z.object({ id: Id, name: z.string() }).nullable(),
      orderId: Id.nullable(),
      notes: z.string().nullable(),
    })
    .nullable(),
})
export type Server = z.output<typeof Server>

/** Fields that are absent stay as they are; an empty text clears the field. */
export const ServerChange = z.object({
  label: Label.optional(),
  hostname: orNull(Hostname),
  /** Operators only. */
  notes: optionalText(5000).optional(),
})

/** What a reinstallation could be. */
const ReinstallPreview = z.object({
  /** The systems that can be installed; empty where the operator has prepared none. */
  systems: z.array(z.string()),
  /** The one it has now. */
  osType: z.string(),
  /** Keys of the owner's ring that are on it now. */
  sshKeyIds: z.array(Id),
  /** What is to be typed. */
  confirm: z.string(),
  userData: UserDataOffer,
  /** Whether the old system can be kept as a snapshot, for so many days. */
  snapshot: z.object({ refusal: z.string().nullable(), days: z.number().int() }),
})

export const Reinstall = z.object({
  osType: required('Choose a system', 100),
  /** Keys of the owner's ring. With keys the server gets no password. */
  sshKeyIds: Wishes.shape.sshKeyIds,
  /** A script, or cloud-config, for the first start of the new system. */
  userData: Wishes.shape.userData,
  /** Keeps the old disk as a snapshot, to which the server can be rolled back. */
  snapshotFirst: z.boolean().optional(),
  /** The server's label, name or VM id, typed to confirm. */
  confirm: z.string().trim().min(1, 'Type the name of the server to confirm.').max(255),
})

const TransferCode = z.object({
  /** Shown once: only its hash is stored. */
  code: z.string(),
  expiresAt: Timestamp,
})

export const ServerEvent = z.object({
  id: z.number().int(),
  at: Timestamp,
  action: z.string(),
  by: z.enum(['you', 'client', 'operator', 'system']),
  /** What the reader may know of it, such as the reason of a suspension. */
  details: z.record(z.string(), z.unknown()),
})
export type ServerEvent = z.output<typeof ServerEvent>

/** Entries per page of the activity. */
const PAGE = 30

export const servers = {
  get: route({
    method: 'GET',
    path: '/api/instances/:id',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'One server: everything its page shows, without asking the cluster',
    params: idParams,
    response: Server,
  }),
  change: route({
    method: 'PATCH',
    path: '/api/instances/:id',
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    isHarmless: true,
    summary: 'Change the label, the hostname or the operators’ notes of a server',
    params: idParams,
    body: ServerChange,
    response: Server,
  }),
  activity: route({
    method: 'GET',
    path: '/api/instances/:id/activity',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'What anyone did with a server, newest first',
    params: idParams,
    query: z.object({
      /** The id of an entry: older ones follow. */
      before: z.coerce.number<number>().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
      limit: z.coerce.number<number>().int().min(1).max(200).default(PAGE),
    }),
    response: z.array(ServerEvent),
  }),
  hostKeys: route({
    method: 'GET',
    path: '/api/instances/:id/host-keys',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'The SSH host keys a server showed, so that a first sign-in can be checked',
    params: idParams,
    response: z.array(HostKey),
  }),
  reinstallPreview: route({
    method: 'GET',
    path: '/api/instances/:id/reinstall',
    access: 'in-person',
    staff: 'run',
    scope: 'servers:read',
    summary: 'The systems that a server can be reinstalled with',
    params: idParams,
    response: ReinstallPreview,
  }),
  reinstall: route({
    method: 'POST',
    path: '/api/instances/:id/reinstall',
    idempotent: true,
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary:
      'Replace the system of a server and all that is on its disk; the old one is kept until the new one answers',
    params: idParams,
    body: Reinstall,
    response: Started,
    status: 202,
  }),
  password: route({
    method: 'POST',
    path: '/api/instances/:id/password',
    idempotent: true,
    access: 'in-person',
    staff: 'run',
    summary:
      'Give a server a new password: by a restart, or at once where the operator lets the guest agent set it',
    params: idParams,
    response: Started,
    status: 202,
  }),
  offer: route({
    method: 'POST',
    path: '/api/instances/:id/transfer',
    idempotent: true,
    access: 'client-in-person',
    summary: 'A code with which another account takes a server over; replaces the last one',
    params: idParams,
    response: TransferCode,
    status: 201,
  }),
  withdrawOffer: route({
    method: 'DELETE',
    path: '/api/instances/:id/transfer',
    access: 'client-in-person',
    summary: 'Make the open code of a server useless',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  proxmoxConfig: route({
    method: 'GET',
    path: '/api/instances/:id/proxmox-config',
    access: 'admin',
    staff: 'run',
    summary: 'The configuration of the VM as Proxmox stores it, without secrets',
    params: idParams,
    response: z.array(z.object({ key: z.string(), value: z.string() })),
  }),
}

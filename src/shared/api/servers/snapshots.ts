import { z } from 'zod'
import { MOST_SNAPSHOT_DAYS, SNAPSHOT_STATES } from '../../rules/instance/snapshots.ts'
import { Id, idParams, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Started } from './instances.ts'

const Snapshot = z.object({
  id: Id,
  name: z.string(),
  state: z.enum(SNAPSHOT_STATES),
  /** The system that was on the disk. */
  osType: z.string(),
  /** Null while it is being taken. */
  takenAt: Timestamp.nullable(),
  /** It deletes itself then. */
  expiresAt: Timestamp,
  /** Taken before a reinstallation: going back brings the old disk back. */
  isOldDisk: z.boolean(),
  /** Newer snapshots that a rollback to this one deletes, because of the storage. */
  removes: z.array(z.string()),
})

/** The snapshots of a server, and what is left of its quota. */
const Snapshots = z.object({
  snapshots: z.array(Snapshot),
  /** Made in Proxmox itself: shown, never touched. Null while the cluster does not answer. */
  others: z.array(z.object({ name: z.string(), takenAt: Timestamp.nullable() })).nullable(),
  quota: z.object({ used: z.number().int(), most: z.number().int() }),
  /** The longest time one is kept, in days. */
  longestDays: z.number().int(),
  /** Why no more can be taken now, by the quota or the storage; null where one can. */
  refusal: z.string().nullable(),
  /** What is to be typed before a rollback. */
  confirm: z.string(),
})
export type Snapshots = z.output<typeof Snapshots>

const DAYS = `Days must be 1 to ${MOST_SNAPSHOT_DAYS}`

export const SnapshotTake = z.object({
  /** Empty: called by its time. */
  name: z
    .string()
    .trim()
    .max(60, 'A name has at most 60 characters')
    .regex(/^[^\p{C}]*$/u, 'A name is one line of plain text')
    .optional(),
  /** How long it is kept; the longest time of the package if absent. */
  days: z.number().int(DAYS).min(1, DAYS).max(MOST_SNAPSHOT_DAYS, DAYS).optional(),
})

export const Rollback = z.object({
  /** The server's label, name or VM id, typed to confirm. */
  confirm: z.string().trim().min(1, 'Type the name of the server to confirm.').max(255),
})

const snapshotParams = idParams.extend({ snapshotId: idParams.shape.id })

export const snapshots = {
  list: route({
    method: 'GET',
    path: '/api/instances/:id/snapshots',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'The snapshots of a server, its quota, and those made in Proxmox itself',
    params: idParams,
    response: Snapshots,
  }),
  take: route({
    method: 'POST',
    path: '/api/instances/:id/snapshots',
    idempotent: true,
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    isHarmless: true,
    summary: 'Take a snapshot of a server’s disks, without its memory; it deletes itself in time',
    params: idParams,
    body: SnapshotTake,
    response: Started,
    status: 202,
  }),
  rollBack: route({
    method: 'POST',
    path: '/api/instances/:id/snapshots/:snapshotId/rollback',
    idempotent: true,
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary:
      'Bring the disks of a server back to a snapshot: all that was written since is lost; address, size and login stay',
    params: snapshotParams,
    body: Rollback,
    response: Started,
    status: 202,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/instances/:id/snapshots/:snapshotId',
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary: 'Delete a snapshot, and the disk of a former system that only it needed',
    params: snapshotParams,
    response: Started,
    status: 202,
  }),
}

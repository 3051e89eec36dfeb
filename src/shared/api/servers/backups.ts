import { z } from 'zod'
import { BACKUP_PACES, WEEKDAYS, WINDOW_HOURS } from '../../rules/instance/backup-schedule.ts'
import { BACKUP_ORIGINS, BACKUP_STATES, MOST_BACKUPS } from '../../rules/instance/backups.ts'
import { Id, idParams, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Started } from './instances.ts'

const Backup = z.object({
  id: Id,
  name: z.string(),
  state: z.enum(BACKUP_STATES),
  /** Not begun yet: its node makes one backup at a time. */
  isWaiting: z.boolean(),
  /** Made by a person, by the schedule, or because the time of the server ended. */
  origin: z.enum(BACKUP_ORIGINS),
  /** The system that was on the disk. */
  osType: z.string(),
  /** Null while it is being made. */
  takenAt: Timestamp.nullable(),
  /** As the storage reports it: of a file what it takes, on a backup server what is in it. */
  sizeBytes: z.number().nullable(),
  /** Cannot be deleted until that ends. */
  isProtected: z.boolean(),
  /** False if the storage no longer lists it; null while the cluster does not answer. */
  isThere: z.boolean().nullable(),
})

/** The backups of a server, and what is left of its quota. */
const Backups = z.object({
  backups: z.array(Backup),
  quota: z.object({ used: z.number().int(), most: z.number().int() }),
  /** Why no more can be made now; null where one can. */
  refusal: z.string().nullable(),
  /** Snapshots that a restore deletes with the disks they are of. */
  snapshots: z.number().int(),
  /** What is to be typed before a restore. */
  confirm: z.string(),
  /** The other servers of its client on this cluster, with what is to be typed for each. */
  others: z.array(z.object({ id: Id, label: z.string(), confirm: z.string() })),
})
export type Backups = z.output<typeof Backups>

export const BackupMake = z.object({
  /** Empty: called by its time. */
  name: z
    .string()
    .trim()
    .max(60, 'A name has at most 60 characters')
    .regex(/^[^\p{C}]*$/u, 'A name is one line of plain text')
    .optional(),
})

export const Restore = z
  .object({
    /** In place of what is on the server now, or as another server. */
    as: z.enum(['same', 'new'], { error: 'Choose same or new' }),
    /** For `new`: the other server of the same client, in place of what is on it now. */
    into: Id.optional(),
    /** Label, name or VM id of the server whose disks are replaced, typed to confirm. */
    confirm: z.string().trim().min(1, 'Type the name of the server to confirm.').max(255),
  })
  .refine(({ as, into }) => as !== 'new' || into !== undefined, {
    path: ['into'],
    error: 'Choose the server that gets the backup. Order one first if there is none.',
  })

export const Protection = z.object({ isProtected: z.boolean() })

const KEEP = `Keep 1 to ${MOST_BACKUPS} backups`
const HOUR = 'Choose the hour at which the window opens, 0 to 23'
const LENGTH = `A window is ${WINDOW_HOURS.join(', ')} hours long`

/** When backups may begin; in UTC. */
const Window = z.object({
  from: z.number({ error: HOUR }).int(HOUR).min(0, HOUR).max(23, HOUR),
  hours: z.literal(WINDOW_HOURS, { error: LENGTH }),
  /** The day on which a weekly window opens; null for a daily one. */
  weekday: z.enum(WEEKDAYS, { error: 'Choose a day of the week' }).nullable().default(null),
})

export const BackupScheduleChange = z
  .object({
    every: z.enum(['none', ...BACKUP_PACES], { error: 'Choose none, day or week' }),
    window: Window,
    /** How many scheduled backups are kept; the oldest goes once a newer one is made. */
    keep: z.number({ error: KEEP }).int(KEEP).min(1, KEEP).max(MOST_BACKUPS, KEEP),
  })
  .refine(({ every, window }) => every !== 'week' || window.weekday !== null, {
    path: ['window', 'weekday'],
    error: 'Choose a day of the week',
  })

/** What is backed up by itself, and how that went. */
const BackupSchedule = z.object({
  every: z.enum(['none', ...BACKUP_PACES]),
  window: z.object({
    from: z.number().int(),
    hours: z.number().int(),
    weekday: z.enum(WEEKDAYS).nullable(),
  }),
  keep: z.number().int(),
  /** How many it could keep. */
  mostKept: z.number().int(),
  /** Why there can be no schedule; null where there can. */
  refusal: z.string().nullable(),
  /** When the next one is due. A turn that was missed is made up for as soon as possible. */
  nextAt: Timestamp.nullable(),
  /** Why the last one failed; null if it did not. */
  failure: z.object({ at: Timestamp, why: z.string() }).nullable(),
})
export type BackupSchedule = z.output<typeof BackupSchedule>

const backupParams = idParams.extend({ backupId: idParams.shape.id })

export const backups = {
  list: route({
    method: 'GET',
    path: '/api/instances/:id/backups',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'The backups of a server, their size and age, and its quota',
    params: idParams,
    response: Backups,
  }),
  make: route({
    method: 'POST',
    path: '/api/instances/:id/backups',
    idempotent: true,
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    isHarmless: true,
    summary: 'Back up the disks of a server while it runs; one at a time on a node',
    params: idParams,
    body: BackupMake,
    response: Started,
    status: 202,
  }),
  restore: route({
    method: 'POST',
    path: '/api/instances/:id/backups/:backupId/restore',
    idempotent: true,
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary:
      'Replace the disks of a server, or of another one of the same client, by those of a backup: what is on them and all snapshots are lost; address, size, firewall and login stay',
    params: backupParams,
    body: Restore,
    response: Started,
    status: 202,
  }),
  protect: route({
    method: 'PUT',
    path: '/api/instances/:id/backups/:backupId',
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary: 'Protect a backup against deletion, or end that',
    params: backupParams,
    body: Protection,
    response: Protection,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/instances/:id/backups/:backupId',
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary: 'Delete a backup, or cancel one that waits for its turn',
    params: backupParams,
    response: Started,
    status: 202,
  }),
  schedule: route({
    method: 'GET',
    path: '/api/instances/:id/backup-schedule',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'When a server is backed up by itself, and how the last time went',
    params: idParams,
    response: BackupSchedule,
  }),
  setSchedule: route({
    method: 'PUT',
    path: '/api/instances/:id/backup-schedule',
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    summary:
      'Back a server up by itself every day or week, in a window of hours (UTC), or stop that',
    params: idParams,
    body: BackupScheduleChange,
    response: BackupSchedule,
  }),
}

const Named = z.object({ instanceId: Id, label: z.string(), client: z.string().nullable() })

/** The backups of all servers, for operators. */
const BackupOverview = z.object({
  /** Too long without one, by package and schedule; the longest first. */
  without: z.array(
    Named.extend({ days: z.number().int(), every: z.enum(['none', ...BACKUP_PACES]) }),
  ),
  /** Schedules whose last backup failed. */
  failed: z.array(Named.extend({ at: Timestamp, why: z.string() })),
  /** Archives of servers that are gone, still to be deleted. */
  left: z.array(
    z.object({
      id: Id,
      cluster: z.string(),
      storage: z.string(),
      volume: z.string().nullable(),
      vmId: z.number().int().nullable(),
      why: z.string().nullable(),
    }),
  ),
  storages: z.array(
    z.object({
      cluster: z.string(),
      storage: z.string(),
      /** Null while the cluster does not answer. */
      usedBytes: z.number().nullable(),
      totalBytes: z.number().nullable(),
      /** Of backups that we made, as the storage reports them. */
      oursBytes: z.number(),
      count: z.number().int(),
      /** What the schedules still add until each keeps its number. */
      comingBytes: z.number(),
      /** When that fills it; null if it does not, or it is not known. */
      fullInDays: z.number().int().nullable(),
    }),
  ),
})
export type BackupOverview = z.output<typeof BackupOverview>

export const backupOverview = {
  get: route({
    method: 'GET',
    path: '/api/backups',
    access: 'admin',
    staff: 'look',
    summary: 'Which servers have no backup, which backups failed, and the space of their storages',
    response: BackupOverview,
  }),
}

import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, unique, varchar } from 'drizzle-orm/pg-core'
import { BACKUP_PACES, WEEKDAYS } from '#shared/rules/instance/backup-schedule.ts'
import { BACKUP_ORIGINS, BACKUP_STATES } from '#shared/rules/instance/backups.ts'
import { SNAPSHOT_STATES } from '#shared/rules/instance/snapshots.ts'
import { bytes, createdAt, id, moment, oneOf, word } from './columns.ts'
import { clusters, templates } from './infrastructure.ts'
import { instances } from './stock.ts'

/** Snapshots that we made. Those made in Proxmox itself are never stored, nor touched. */
export const snapshots = pgTable(
  'snapshots',
  {
    id: id(),
    instanceId: integer()
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    /** What its client calls it. */
    name: varchar({ length: 60 }).notNull(),
    /** What the cluster calls it. */
    vmSnapshot: varchar({ length: 40 }).notNull(),
    state: word(SNAPSHOT_STATES).notNull().default('creating'),
    /** The system on the disk at that time, which a rollback brings back. */
    osType: varchar({ length: 100 }).notNull(),
    templateId: integer().references(() => templates.id, { onDelete: 'set null' }),
    username: varchar({ length: 100 }).notNull(),
    /** Tells whether the login has changed since; a hash. */
    loginMark: text().notNull(),
    /** The volume it booted from, which is kept as long as a snapshot needs it. */
    volume: text(),
    createdAt: createdAt(),
    takenAt: moment(),
    expiresAt: moment().notNull(),
    /** When its deletion was last begun by itself. */
    triedAt: moment(),
  },
  (t) => [
    unique('snapshots_vm_snapshot').on(t.instanceId, t.vmSnapshot),
    index('snapshots_expire').on(t.expiresAt),
    check('snapshots_state', oneOf(t.state, SNAPSHOT_STATES)),
    check('snapshots_taken', sql`${t.state} = 'creating' or ${t.takenAt} is not null`),
  ],
)

/** Backups that we made, each an archive on a storage of the cluster. */
export const backups = pgTable(
  'backups',
  {
    id: id(),
    /** Null once the server is gone: the row stays until its archive is gone, too. */
    instanceId: integer().references(() => instances.id, { onDelete: 'set null' }),
    /** Where the archive is looked for without the server. */
    clusterId: integer().references(() => clusters.id, { onDelete: 'cascade' }),
    vmId: integer(),
    origin: word(BACKUP_ORIGINS).notNull().default('hand'),
    /** What its client calls it. */
    name: varchar({ length: 60 }).notNull(),
    /** In the notes of the archive, by which it is known to be this one. */
    key: varchar({ length: 40 }).notNull().unique('backups_key'),
    state: word(BACKUP_STATES).notNull().default('creating'),
    storage: varchar({ length: 60 }).notNull(),
    /** The archive, once the storage has listed it. */
    volume: text(),
    sizeBytes: bytes(),
    isProtected: boolean().notNull().default(false),
    /** The system on the disk at that time, which a restore brings back. */
    osType: varchar({ length: 100 }).notNull(),
    templateId: integer().references(() => templates.id, { onDelete: 'set null' }),
    username: varchar({ length: 100 }).notNull(),
    /** Tells whether the login has changed since; a hash. */
    loginMark: text().notNull(),
    /** The cluster and node on which it is being made: one at a time there. */
    turn: text().unique('backups_turn'),
    createdAt: createdAt(),
    takenAt: moment(),
    /** When its deletion was last begun by itself, and why it failed. */
    triedAt: moment(),
    failure: text(),
  },
  (t) => [
    index('backups_instance').on(t.instanceId),
    index('backups_cluster').on(t.clusterId),
    check('backups_origin', oneOf(t.origin, BACKUP_ORIGINS)),
    check('backups_state', oneOf(t.state, BACKUP_STATES)),
    check('backups_taken', sql`${t.state} = 'creating' or ${t.takenAt} is not null`),
  ],
)

/** The backups that a client wants to be made regularly; no row is none. */
export const backupSchedules = pgTable(
  'backup_schedules',
  {
    instanceId: integer()
      .primaryKey()
      .references(() => instances.id, { onDelete: 'cascade' }),
    every: word(BACKUP_PACES).notNull(),
    /** In UTC. */
    fromHour: integer().notNull(),
    hours: integer().notNull(),
    weekday: word(WEEKDAYS),
    keep: integer().notNull(),
    changedAt: moment().notNull(),
    /** Stays in the past until a backup was begun: none is skipped. */
    dueAt: moment().notNull(),
    /** The job that was begun last, until its end was read. */
    jobId: text(),
    /** How often it failed since the last one that did not. */
    tries: integer().notNull().default(0),
    failedAt: moment(),
    /** Why, in words for its client. */
    failure: text(),
  },
  (t) => [
    index('backup_schedules_due').on(t.dueAt),
    check('backup_schedules_every', oneOf(t.every, BACKUP_PACES)),
    check('backup_schedules_weekday', sql`(${t.every} = 'week') = (${t.weekday} is not null)`),
    check(
      'backup_schedules_window',
      sql`${t.fromHour} between 0 and 23 and ${t.hours} between 1 and 24 and ${t.keep} > 0`,
    ),
    check('backup_schedules_failed', sql`(${t.failedAt} is null) = (${t.failure} is null)`),
  ],
)

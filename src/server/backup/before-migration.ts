import { join } from 'node:path'
import type { Database } from '../db/database.ts'
import { pendingMigrations } from '../db/migrate.ts'
import { backupFolder, backupName, pruneBackups, writeBackup } from './backup.ts'
import { BackupError } from './sealed-file.ts'

const PREFIX = 'before-migration'
const KEEP = 3

/**
 * Backs up the database before a migration. Returns the path; undefined if there is nothing to
 * migrate.
 */
export async function backupBeforeMigration(
  database: Database,
  dataDir: string,
  secret: string,
): Promise<string | undefined> {
  const pending = await pendingMigrations(database)
  if (pending.length === 0) return undefined
  const folder = backupFolder(dataDir)
  const file = join(folder, backupName(PREFIX))
  try {
    await writeBackup(database, secret, file)
    await pruneBackups(folder, PREFIX, KEEP)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new BackupError(`No backup could be made before the migration: ${reason}`, error)
  }
  return file
}

import { type Config, readConfig } from '../config/config.ts'
import { openDatabase } from '../db/connect/open.ts'
import type { Database } from '../db/database.ts'
import { safeError } from '../lib/safe-error.ts'

/** Runs one operator command: a failure prints a sentence, and the exit code is 1. */
export async function command(work: (config: Config) => Promise<void>): Promise<void> {
  try {
    await work(readConfig(process.env))
  } catch (error) {
    console.error(safeError(error).message)
    process.exitCode = 1
  }
}

/**
 * Opens this installation's database for one command. Beside a running server only on PostgreSQL.
 */
export async function withDatabase(
  work: (database: Database, config: Config) => Promise<void>,
): Promise<void> {
  await command((config) => usingDatabase(config, (database) => work(database, config)))
}

export async function usingDatabase<T>(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(config, (error) => console.error(safeError(error).message))
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

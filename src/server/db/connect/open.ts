import type { Config } from '../../config/config.ts'
import type { Database } from '../database.ts'
import { openEmbedded } from './embedded.ts'
import { openPostgres } from './postgres.ts'

/** PostgreSQL where DATABASE_URL says so, else the embedded database under the data folder. */
export function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  onError: (error: Error) => void,
): Promise<Database> {
  return config.databaseUrl === undefined
    ? openEmbedded(config.dataDir)
    : openPostgres({ url: config.databaseUrl, onError })
}

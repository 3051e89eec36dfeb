import type { Config } from '../../config/config.ts'
import type { Database } from '../database.ts'

/**
 * PostgreSQL if DATABASE_URL is set, else the embedded database under the data folder. Loads only the one
 * it opens.
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  onError: (error: Error) => void,
): Promise<Database> {
  if (config.databaseUrl === undefined) {
    const { openEmbedded } = await import('./embedded.ts')
    return await openEmbedded(config.dataDir)
  }
  const { openPostgres } = await import('./postgres.ts')
  return await openPostgres({ url: config.databaseUrl, onError })
}

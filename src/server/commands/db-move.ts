import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { backupFolder, backupName, writeBackup } from '../backup/backup.ts'
import { restoreBackup } from '../backup/restore.ts'
import { BackupError } from '../backup/sealed-file.ts'
import { loadSecretKey } from '../config/secret-key.ts'
import { createKeyring } from '../secrets/keyring.ts'
import { requireReadable } from '../secrets/sealed-columns.ts'
import { command, usingDatabase } from './with-database.ts'

/**
 * `npm run db:move [-- --force]`: copies everything of DATA_DIR into the PostgreSQL of
 * DATABASE_URL.
 */
await command(async (config) => {
  const { values } = parseArgs({ options: { force: { type: 'boolean', default: false } } })
  if (!config.databaseUrl) {
    throw new BackupError('Set DATABASE_URL to the PostgreSQL that the data is to move to.')
  }
  const secret = loadSecretKey(config)
  const file = join(backupFolder(config.dataDir), backupName('moved'))
  await usingDatabase({ dataDir: config.dataDir, databaseUrl: undefined }, async (from) => {
    await requireReadable(from.db, createKeyring(secret, config.previousSecretKey)).catch(
      (error: unknown) => {
        throw new BackupError(
          `The SECRET_KEY that is set does not open the secrets in ${config.dataDir}. Unless you ` +
            `set one before, it was generated: SECRET_KEY_FILE=${join(config.dataDir, 'secret.key')}`,
          error,
        )
      },
    )
    await writeBackup(from, secret, file)
  })
  try {
    const { counts } = await usingDatabase(config, (to) =>
      restoreBackup(to, { file, secrets: [secret], isForced: values.force }),
    )
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
    console.log(`Moved ${rows} rows to PostgreSQL. Start Hushbox with the same settings.`)
    console.log(`${config.dataDir} is as it was: delete it once you are content.`)
  } finally {
    await rm(file, { force: true })
  }
})

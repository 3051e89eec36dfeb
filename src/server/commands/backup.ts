import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  backupFolder,
  backupName,
  verifyBackup,
  writeBackup,
  writeWhole,
} from '../backup/backup.ts'
import { askForBackup } from '../backup/backup-socket.ts'
import { BackupError } from '../backup/sealed-file.ts'
import { findSecretKey } from '../secrets/secret-key.ts'
import { command, usingDatabase } from './with-database.ts'

/** `npm run backup [-- file]`: also while the server runs. */
await command(async (config) => {
  const secret = findSecretKey(config)
  if (secret === undefined) throw new BackupError('There is nothing to back up yet.')
  const named = process.argv[2]
  const file = named ? resolve(named) : join(backupFolder(config.dataDir), backupName('hushbox'))
  const running = config.databaseUrl ? undefined : await askForBackup(config.dataDir)
  if (running) await writeWhole(file, (part) => pipeline(running, part))
  else await usingDatabase(config, (database) => writeBackup(database, secret, file))

  const { counts } = await verifyBackup(file, [secret])
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const { size } = await stat(file)
  console.log(
    `Written to ${file}: ${rows} rows, ${Math.ceil(size / 1024)} kB, read back and whole.`,
  )
  console.log('It opens only with the SECRET_KEY of today: keep that elsewhere.')
})

import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import {
  backupFolder,
  backupName,
  verifyBackup,
  writeBackup,
  writeWhole,
} from '../backup/backup.ts'
import { proveBackup } from '../backup/prove.ts'
import { BackupError } from '../backup/sealed-file.ts'
import type { Config } from '../config/config.ts'
import { findSecretKey } from '../config/secret-key.ts'
import { createKeyring } from '../secrets/keyring.ts'
import { askServer } from './backup-socket.ts'
import { command, usingDatabase } from './with-database.ts'

/** `npm run backup [-- file] [--quick]`: works while the server runs, too. */
await command(async (config) => {
  const { values, positionals } = parseArgs({
    options: { quick: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const secret = requireKey(config)
  const [named] = positionals
  const file = named ? resolve(named) : join(backupFolder(config.dataDir), backupName('hushbox'))
  const running = config.databaseUrl
    ? undefined
    : await askServer(config.dataDir, { act: 'backup' })
  if (running) await writeWhole(file, (part) => pipeline(running, part))
  else await usingDatabase(config, (database) => writeBackup(database, secret, file))

  const { counts } = await verifyBackup(file, [secret])
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const { size } = await stat(file)
  console.log(`Written to ${file}: ${rows} rows, ${Math.ceil(size / 1024)} kB.`)
  if (values.quick) console.log('Read back and whole. Not proven: that it can be restored.')
  else await prove(config, secret, file)
  console.log('It opens only with the SECRET_KEY of today: keep that elsewhere.')
})

async function prove(config: Config, secret: string, file: string): Promise<void> {
  const keyring = createKeyring(secret, config.previousSecretKey)
  const { dataDir } = config
  const proof = await proveBackup({ file, secrets: [secret], keyring, dataDir })
  const { entries, brokenAt } = proof.audit
  console.log(
    'Proven by restoring it into a scratch database: every row is there and every secret opens.',
  )
  if (brokenAt === undefined) console.log(`The audit log in it is whole: ${entries} entries.`)
  else warn(`The audit log was changed before: entry ${brokenAt} does not fit.`)
  if (proof.isBalanced) console.log('The books in it balance.')
  else warn('The books in it do not balance, as in the database: see Settings, Payments.')
}

/** The file is good, but its contents need a look. */
function warn(sentence: string): void {
  console.error(sentence)
  process.exitCode = 1
}

function requireKey(config: Config): string {
  const secret = findSecretKey(config)
  if (secret !== undefined) return secret
  if (existsSync(join(config.dataDir, 'pglite'))) {
    throw new BackupError(
      `There is data in ${config.dataDir}, but no key to seal the backup with. Set SECRET_KEY or ` +
        'SECRET_KEY_FILE to the one the server runs with.',
    )
  }
  throw new BackupError(
    `There is no installation in ${config.dataDir}: nothing to back up. Is DATA_DIR right?`,
  )
}

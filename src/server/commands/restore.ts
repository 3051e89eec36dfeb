import { parseArgs } from 'node:util'
import { verifyAudit } from '../audit/verify-audit.ts'
import { holdReadyStock } from '../backup/hold-stock.ts'
import { restoreBackup } from '../backup/restore.ts'
import { BackupError } from '../backup/sealed-file.ts'
import { findSecretKey } from '../config/secret-key.ts'
import { forgetDeadlines } from '../provisioning/provision/silence.ts'
import { command, usingDatabase } from './with-database.ts'

/** `npm run restore -- file [--force]`: requires every server to be stopped. */
await command(async (config) => {
  const { values, positionals } = parseArgs({
    options: { force: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [file] = positionals
  if (!file) throw new BackupError('Say which: npm run restore -- hushbox.backup')
  // Not generated here: a new key opens no backup.
  const secret = findSecretKey(config)
  if (secret === undefined) {
    throw new BackupError(
      'There is no SECRET_KEY here. Set the one the backup was made with, or put its file at ' +
        `${config.dataDir}/secret.key.`,
    )
  }
  const secrets = [secret, config.previousSecretKey].filter((key) => key !== undefined)
  await usingDatabase(config, async (database) => {
    let held = 0
    const header = await restoreBackup(database, {
      file,
      secrets,
      isForced: values.force,
      afterwards: async (tx, { madeAt }) => {
        held = await holdReadyStock(tx, madeAt)
        await forgetDeadlines(tx)
      },
    })
    const rows = Object.values(header.counts).reduce((sum, count) => sum + count, 0)
    console.log(`Restored ${rows} rows of ${header.madeAt}. Everybody signs in again.`)
    if (held > 0) {
      console.log(
        `${held} ready tokens are not for sale until you have checked that nobody got their VM ` +
          'after the backup: see Tokens.',
      )
    }
    const { entries, brokenAt } = await verifyAudit(database.db)
    if (brokenAt === undefined) return console.log(`The audit log is whole: ${entries} entries.`)
    console.error(`The audit log was changed before the backup: entry ${brokenAt} does not fit.`)
    process.exitCode = 1
  })
})

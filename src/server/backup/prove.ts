import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyAudit } from '../audit/verify-audit.ts'
import { wrapPglite } from '../db/connect/embedded.ts'
import { createPglite } from '../db/connect/pglite.ts'
import { statement } from '../ledger/statement.ts'
import { isProcessAlive } from '../lib/process-alive.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { requireReadable } from '../secrets/sealed-columns.ts'
import { backupFolder } from './backup.ts'
import { restoreBackup } from './restore.ts'
import { BackupError, type BackupHeader } from './sealed-file.ts'

const PREFIX = '.trial-'

export type Proof = {
  header: BackupHeader
  /** Whether every cent was accounted for in the database. */
  isBalanced: boolean
  /** The number of audit entries, and the first one that does not fit, as in the database. */
  audit: { entries: number; brokenAt: number | undefined }
}

type ProofOptions = { file: string; secrets: string[]; keyring: Keyring; dataDir: string }

/**
 * Restores the file, as `npm run restore` would, into a temporary database. The result is proved to
 * be restored: every row, key, guard and sequence, and every secret can be opened. Works on disk
 * and in batches: memory does not grow with the installation.
 */
export async function proveBackup(options: ProofOptions): Promise<Proof> {
  const { file, secrets, keyring, dataDir } = options
  const folder = await trialFolder(backupFolder(dataDir))
  try {
    const pglite = await createPglite({
      dataDir: join(folder, 'pglite'),
      relaxedDurability: true,
    })
    const { db } = wrapPglite(pglite, async () => {})
    try {
      const header = await restoreBackup(
        { db, kind: 'embedded' },
        { file, secrets, isForced: false },
      )
      await requireReadable(db, keyring)
      const { isBalanced } = await statement(db)
      return { header, isBalanced, audit: await verifyAudit(db) }
    } finally {
      await pglite.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new BackupError(
      `The backup was written to ${file}, but a trial restore of it failed: ${reason} ` +
        'Keep the file, do not rely on it, and report this.',
      error,
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A new folder; those of killed trials are removed first. */
async function trialFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 })
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : undefined
    if (pid !== undefined && !isProcessAlive(pid)) {
      await rm(join(parent, name), { recursive: true, force: true })
    }
  }
  const folder = join(parent, `${PREFIX}${process.pid}`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  return folder
}

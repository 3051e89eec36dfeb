import { createWriteStream, mkdirSync } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Database } from '../db/database.ts'
import { BackupError, type BackupHeader, openSealed, seal } from './sealed-file.ts'
import { withSnapshot } from './snapshot.ts'

/** The default folder of backups. */
export const backupFolder = (dataDir: string) => join(dataDir, 'backups')

/** `hushbox-20261115T120000123Z.backup`: sorts by time. */
export function backupName(prefix: string, at = new Date()): string {
  const time = at.toISOString().replaceAll(/[-:.]/g, '')
  return `${prefix}-${time}.backup`
}

/** Writes one consistent, sealed snapshot. The file gets its name only once it is complete. */
export async function writeBackup(
  database: Pick<Database, 'db' | 'kind'>,
  secret: string,
  file: string,
): Promise<void> {
  await withSnapshot(database, (facts, lines) =>
    writeWhole(file, (part) =>
      pipeline(
        Readable.from(lines),
        createGzip(),
        (content: AsyncIterable<Buffer>) => seal(secret, facts, content),
        part,
      ),
    ),
  )
}

/**
 * Readable by its owner alone, flushed to disk before it gets its name, and never overwrites a
 * file.
 */
export async function writeWhole(
  file: string,
  write: (part: NodeJS.WritableStream) => Promise<void>,
): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const part = `${file}.part`
  const reserved = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new BackupError(`${file} exists already. Name another.`) : error
  })
  await reserved.close()
  try {
    await write(createWriteStream(part, { mode: 0o600, flush: true }))
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    await rm(file, { force: true })
    throw error
  }
}

/**
 * Passes the lines of a backup to `work`, which must be able to undo its use of them: the file is
 * verified only at its end.
 */
export async function readBackup<T>(
  file: string,
  secrets: string[],
  work: (header: BackupHeader, lines: AsyncGenerator<string>) => Promise<T>,
): Promise<T> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new BackupError(`There is no file ${file}.`) : error
  })
  try {
    const { header, content } = await openSealed(handle, secrets)
    return await pipeline(Readable.from(content), createGunzip(), (plain: AsyncIterable<Buffer>) =>
      work(header, splitLines(plain)),
    )
  } finally {
    await handle.close()
  }
}

/** Reads a backup to its end: it can be opened, is complete, and has the rows its header lists. */
export async function verifyBackup(file: string, secrets: string[]): Promise<BackupHeader> {
  return await readBackup(file, secrets, async (header, lines) => {
    let rows = 0
    for await (const line of lines) if (line.startsWith('{')) rows += 1
    const promised = Object.values(header.counts).reduce((sum, count) => sum + count, 0)
    if (rows !== promised) {
      throw new BackupError(`The backup has ${rows} rows and its header says ${promised}.`)
    }
    return header
  })
}

/** Keeps the newest of the automatic backups. */
export async function pruneBackups(folder: string, prefix: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(`${prefix}-`) && name.endsWith('.backup'),
  )
  for (const name of names.sort().slice(0, -keep)) await rm(join(folder, name), { force: true })
}

async function* splitLines(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of source) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

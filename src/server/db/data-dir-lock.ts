import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { isProcessAlive } from '../lib/process-alive.ts'

/**
 * The embedded database has no lock of its own: two processes on one folder destroy it silently.
 */
export class DataDirInUseError extends Error {
  constructor(dataDir: string) {
    super(
      `Another Hushbox process is using ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
    )
    this.name = 'DataDirInUseError'
  }
}

/** Locks the folder for this process. The lock ends with the process, however that ends. */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = realpathSync(dataDir)
  return process.platform === 'linux' ? lockBySocket(path) : lockByPidFile(path)
}

/** An abstract socket vanishes with its process, even after kill -9, so no lock can go stale. */
function lockBySocket(path: string): Promise<() => Promise<void>> {
  const name = `\0hushbox-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`
  const server = createServer((socket) => socket.destroy())
  server.unref()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new DataDirInUseError(path) : error),
    )
    server.listen(name, () =>
      resolve(() => new Promise((done) => server.close(() => done(undefined)))),
    )
  })
}

async function lockByPidFile(path: string): Promise<() => Promise<void>> {
  const file = join(path, 'hushbox.pid')
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
  } catch {
    if (isProcessAlive(Number(readFileSync(file, 'utf8')))) throw new DataDirInUseError(path)
    writeFileSync(file, String(process.pid))
  }
  return async () => rmSync(file, { force: true })
}

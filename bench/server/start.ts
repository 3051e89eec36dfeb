import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../../src/server/testing/free-port.ts'
import { startPostgres } from '../../src/server/testing/postgres.ts'
import { removeFolder } from '../../src/server/testing/server-process.ts'
import { atMost, type Figure } from '../figure.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const GIVE_UP_MS = 120_000

/** The connection is refused until the server listens; any other failure is unexpected. */
function unlessRefused(error: Error & { cause?: { code?: string } }): undefined {
  if (error.cause?.code !== 'ECONNREFUSED') throw error
}

/** From `npm start` to the first 200, with everything installed, built and migrated. */
async function startOnce(env: Record<string, string>): Promise<number> {
  const port = await freePort()
  const started = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { ...process.env, ...env, PORT: String(port), LOG_LEVEL: 'error' },
    stdio: 'ignore',
    detached: true,
  })
  const ended = new Promise((done) => child.once('exit', done))
  try {
    for (;;) {
      const reply = await fetch(`http://127.0.0.1:${port}/healthz`).catch(unlessRefused)
      if (reply?.ok) return performance.now() - started
      if (performance.now() - started > GIVE_UP_MS) throw new Error('it did not start')
      await new Promise((done) => setTimeout(done, 20))
    }
  } finally {
    // npm and its children are one process group.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
}

export async function measureStart(): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hushbox-bench-'))
  const postgres = await startPostgres()
  try {
    const embedded = { DATA_DIR: dataDir }
    const server = {
      DATA_DIR: join(dataDir, 'pg'),
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'a key for the benchmark, long enough',
    }
    await startOnce(embedded)
    await startOnce(server)
    return [
      atMost('warm npm start to the first 200, embedded', await startOnce(embedded), 5000, 'ms'),
      atMost('warm npm start to the first 200, PostgreSQL', await startOnce(server), 2000, 'ms'),
    ]
  } finally {
    await postgres.stop()
    removeFolder(dataDir)
  }
}

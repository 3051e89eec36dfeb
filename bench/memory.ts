import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startPostgres } from '../src/server/testing/postgres.ts'
import {
  METRICS_HEADERS,
  removeFolder,
  startProduct,
} from '../src/server/testing/server-process.ts'
import { atMost, type Figure } from './figure.ts'

const MB = 1_000_000
const OWN_MB = 60
const EMBEDDED_MB = 400
/** Idle is when memory has stayed the same, within this share, for so many looks in a row. */
const SAME = 0.02
const LOOKS = 5
const LOOK_MS = 2000
const MOST_LOOKS = 60

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / MB
}

async function idleMb(pid: number): Promise<number> {
  const seen: number[] = []
  while (seen.length < MOST_LOOKS) {
    seen.push(await residentMb(pid))
    const last = seen.slice(-LOOKS)
    const spread = Math.max(...last) / Math.min(...last) - 1
    if (last.length === LOOKS && spread < SAME) break
    await delay(LOOK_MS)
  }
  return seen.at(-1) ?? Number.NaN
}

/** Node that does nothing. */
async function bareMb(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)'], { stdio: 'ignore' })
  try {
    return await idleMb(child.pid ?? 0)
  } finally {
    child.kill()
  }
}

/** Without the demo cluster; the second start, because the first one makes the database. */
async function serverMb(env: Record<string, string>): Promise<{ mb: number; holds: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hushbox-memory-'))
  const settings = { DEMO: '0', ...env }
  try {
    await (await startProduct(settings, dataDir)).stop()
    const server = await startProduct(settings, dataDir)
    try {
      const mb = await idleMb(server.pid)
      const reply = await fetch(`${server.url}/metrics`, { headers: METRICS_HEADERS })
      return { mb, holds: heldBy(await reply.text()) }
    } finally {
      await server.stop()
    }
  } finally {
    removeFolder(dataDir)
  }
}

/** V8 and what lies outside it; the rest is code, stacks and what the allocator keeps. */
function heldBy(metrics: string): string {
  const of = (name: string) =>
    Math.round(Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN) / MB)
  const heap = `${of('nodejs_heap_size_used_bytes')} of ${of('nodejs_heap_size_total_bytes')} MB heap`
  return `${heap}, ${of('nodejs_external_memory_bytes')} MB outside it`
}

export async function measureMemory(): Promise<Figure[]> {
  const bare = await bareMb()
  const embedded = await serverMb({})
  const postgres = await startPostgres()
  try {
    const SECRET_KEY = 'a key for the benchmark, long enough'
    const server = await serverMb({ DATABASE_URL: postgres.url, SECRET_KEY })
    return [
      atMost(
        `idle on PostgreSQL, beyond bare Node's ${Math.round(bare)} MB (${server.holds})`,
        server.mb - bare,
        OWN_MB,
        'MB',
      ),
      atMost(`idle on the embedded database (${embedded.holds})`, embedded.mb, EMBEDDED_MB, 'MB'),
    ]
  } finally {
    await postgres.stop()
  }
}

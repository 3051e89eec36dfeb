import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { freePort } from '../../testing/free-port.ts'
import { removeFolder } from '../../testing/server-process.ts'
import { KEY } from './powerdns-stand-in.ts'

// Debian: pdns-server, pdns-backend-sqlite3, sqlite3.
const PROGRAM = '/usr/sbin/pdns_server'
const SQLITE = '/usr/bin/sqlite3'
const SCHEMA = '/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql'
const START_MS = 20_000

export const hasPowerDns = [PROGRAM, SQLITE, SCHEMA].every((file) => existsSync(file))

/** Debian's PowerDNS with an empty database, in a folder and on ports of its own. */
export async function startRealPowerDns() {
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-pdns-'))
  const database = join(folder, 'zones.db')
  execFileSync(SQLITE, [database, `.read ${SCHEMA}`])
  const [dnsPort, apiPort] = [await freePort(), await freePort()]
  const settings = {
    launch: 'gsqlite3',
    'gsqlite3-database': database,
    'local-address': '127.0.0.1',
    'local-port': dnsPort,
    api: 'yes',
    'api-key': KEY,
    webserver: 'yes',
    'webserver-address': '127.0.0.1',
    'webserver-port': apiPort,
    'socket-dir': folder,
    setuid: '',
    setgid: '',
    // Answers are to be what was written a moment ago.
    'cache-ttl': 0,
    'negquery-cache-ttl': 0,
    'query-cache-ttl': 0,
    'zone-cache-refresh-interval': 0,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(folder, 'pdns.conf'), lines.join(''))
  const args = [`--config-dir=${folder}`, '--daemon=no', '--guardian=no']
  const child = spawn(PROGRAM, args, { stdio: 'ignore' })
  const ended = new Promise<void>((done) => child.on('close', () => done()))
  const url = `http://127.0.0.1:${apiPort}`
  const answers = async () => {
    const headers = { 'x-api-key': KEY }
    const reply = await fetch(`${url}/api/v1/servers/localhost/zones`, { headers })
    return reply.status
  }
  await vi.waitFor(async () => expect(await answers()).toBe(200), { timeout: START_MS })
  return {
    url,
    key: KEY,
    resolver: `127.0.0.1:${dnsPort}`,
    async close() {
      child.kill()
      await ended
      removeFolder(folder)
    },
  }
}

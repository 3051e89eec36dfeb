import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../testing/server-process.ts'
import { readHostKeys } from './read-host-keys.ts'
import { listen } from './testing/ssh-server.ts'

// Debian: openssh-server, dropbear-bin.
const SSHD = '/usr/sbin/sshd'
const DROPBEAR = '/usr/sbin/dropbear'
const DROPBEAR_KEY = '/usr/bin/dropbearkey'
/** Without this folder sshd does not start. */
const RUN = '/run/sshd'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-sshd-'))
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const { port, close } = await listen(() => undefined)
  await close()
  return port
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

async function run(program: string, args: string[], port: number): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  await expect.poll(() => answers(port), { timeout: 20_000 }).toBe(true)
}

const read = (port: number) => readHostKeys({ address: '127.0.0.1', port, timeoutMs: 20_000 })

test.skipIf(!(existsSync(SSHD) && existsSync(RUN)))(
  'the keys of OpenSSH are those that ssh-keygen prints (skipped without sshd)',
  async () => {
    const folder = newFolder()
    const port = await freePort()
    const expected = ['ed25519', 'ecdsa', 'rsa'].map((kind) => {
      const file = join(folder, kind)
      execFileSync('ssh-keygen', ['-q', '-t', kind, '-N', '', '-f', file])
      const line = execFileSync('ssh-keygen', ['-l', '-f', file], { encoding: 'utf8' })
      return { file, fingerprint: line.split(' ')[1] }
    })
    const keys = expected.flatMap(({ file }) => ['-h', file])
    const at = ['-p', String(port), '-o', 'ListenAddress=127.0.0.1', '-o', 'PidFile=none']
    await run(SSHD, ['-D', '-f', '/dev/null', ...at, ...keys], port)
    const fingerprints = expected.map(({ fingerprint }) => ({ fingerprint }))
    expect(await read(port)).toMatchObject({ is: 'keys', keys: fingerprints })
  },
)

test.skipIf(!(existsSync(DROPBEAR) && existsSync(DROPBEAR_KEY)))(
  'the key of Dropbear is the one that dropbearkey prints (skipped without dropbear)',
  async () => {
    const folder = newFolder()
    const port = await freePort()
    const file = join(folder, 'ed25519')
    const printed = execFileSync(DROPBEAR_KEY, ['-t', 'ed25519', '-f', file], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
    await run(DROPBEAR, ['-F', '-E', '-r', file, '-p', `127.0.0.1:${port}`], port)
    const publicKey = /ssh-ed25519 (\S+)/.exec(printed)?.[1]
    expect(await read(port)).toMatchObject({ is: 'keys', keys: [{ publicKey }] })
  },
)

import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../testing/free-port.ts'
import { tempFolder } from '../testing/temp-folder.ts'
import { readHostKeys } from './read-host-keys.ts'

// Debian: openssh-server, dropbear-bin.
const SSHD = '/usr/sbin/sshd'
const DROPBEAR = '/usr/sbin/dropbear'
const DROPBEAR_KEY = '/usr/bin/dropbearkey'
/** Without this folder sshd does not start. */
const RUN = '/run/sshd'

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
    const folder = tempFolder('sshd')
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
    const folder = tempFolder('sshd')
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

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const READY = /is ready at (http:\/\/\S+)/
export const ADMIN = { email: 'admin@hushbox.local', password: 'the e2e password' }

export type TestServer = { url: string; output(): string; stop(): Promise<void> }

/** The built product as `npm start` runs it, with a port and a database of its own. */
export async function startTestServer(env: Record<string, string> = {}): Promise<TestServer> {
  const data = mkdtempSync(join(tmpdir(), 'hushbox-e2e-'))
  const child = spawn(process.execPath, ['src/server/main.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: data,
      ADMIN_PASSWORD: ADMIN.password,
      RATE_LIMIT_SCALE: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const url = await untilReady(child, (text) => {
    output += text
    return output
  })
  return {
    url,
    output: () => output,
    async stop() {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      await ended
      rmSync(data, { recursive: true, force: true })
    },
  }
}

function untilReady(child: ChildProcess, collect: (text: string) => string): Promise<string> {
  return new Promise((done, failed) => {
    const onText = (chunk: Buffer) => {
      const ready = READY.exec(collect(chunk.toString()))
      if (ready?.[1]) done(ready[1])
    }
    child.stdout?.on('data', onText)
    child.stderr?.on('data', onText)
    child.once('exit', (code) =>
      failed(new Error(`the server ended with ${code}:\n${collect('')}`)),
    )
  })
}

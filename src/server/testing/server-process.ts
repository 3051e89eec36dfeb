import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { migratedFolder } from './migrated.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
/** Like `npm start`: a later start need not compile again. */
const COMPILED = resolve(ROOT, 'node_modules/.cache/compile')
/** Those of `npm start`. */
const START_OPTIONS = ['--expose-gc', '--max-semi-space-size=4']
/**
 * In tests also the first compiler of WASM only: the optimised code of the embedded database is
 * worth its price after minutes.
 */
const TEST_OPTIONS = [...START_OPTIONS, '--liftoff-only']
const READY = /is ready at (http:\/\/\S+)/
export const ADMIN = { email: 'admin@hushbox.local', password: 'the password of tests' }

export type ServerProcess = {
  url: string
  pid: number
  dataDir: string
  output(): string
  /** The exit code, whatever ended the process; null if it was killed. */
  ended: Promise<number | null>
  /** Ends the process cleanly. Returns the exit code. */
  stop(): Promise<number | null>
  signal(name: NodeJS.Signals): void
  /** Kills the process. */
  kill(): Promise<void>
}

/** Every test process serves its metrics under this token; `signIn` sends it along. */
export const METRICS_TOKEN = 'a token for the metrics of tests'
export const METRICS_HEADERS = { authorization: `Bearer ${METRICS_TOKEN}` }

/** The product exactly as `npm start` runs it, to measure it. */
export const startProduct = (env?: Record<string, string>, folder?: string) =>
  startProcess(env, folder, START_OPTIONS)

/**
 * The product as `npm start` runs it, in its own process and on its own port. Without a data folder
 * it gets a new one, with a migrated database.
 */
export async function startProcess(
  env: Record<string, string> = {},
  folder?: string,
  options = TEST_OPTIONS,
): Promise<ServerProcess> {
  const dataDir = folder ?? (await newDataDir(env))
  const child = spawn(process.execPath, [...options, 'scripts/start.mjs'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: ADMIN.password,
      RATE_LIMIT_SCALE: '0',
      METRICS_TOKEN,
      LOG_LEVEL: 'warn',
      NODE_COMPILE_CACHE: COMPILED,
      MALLOC_ARENA_MAX: '1',
      MALLOC_MMAP_THRESHOLD_: '32768',
      // The same on machines with QEMU and without; tests of QEMU enable it.
      DEMO_QEMU: '0',
      DEMO_LINUX: '0',
      // The tests' operators sign in by password; those of the second factor set it.
      OPERATOR_SECOND_FACTOR: 'optional',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
  const url = await untilReady(child, (text) => {
    output += text
    return output
  })
  return {
    url,
    pid: child.pid ?? 0,
    dataDir,
    output: () => output,
    ended,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** For a server with these settings: it does not have to migrate its own database. */
export const newDataDir = async (env: Record<string, string | undefined>): Promise<string> =>
  env.DATABASE_URL ? mkdtempSync(join(tmpdir(), 'hushbox-process-')) : await migratedFolder()

export type CommandResult = { code: number; output: string }

/** An operator's command, such as `backup`, as its npm script runs it. */
export function runCommand(
  name: string,
  args: string[],
  env: Record<string, string>,
): Promise<CommandResult> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      ['--liftoff-only', `src/server/commands/${name}.ts`, ...args],
      { cwd: ROOT, env: { PATH: process.env.PATH, ...env } },
      (error, stdout, stderr) =>
        done({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    )
  })
}

export const removeFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true })

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

/** Calls a server process like a script: with a cookie, without browser headers. */
export async function signIn(url: string, { email: username, password } = ADMIN) {
  const login = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0]
  if (!login.ok || !cookie) throw new Error(`sign-in failed: ${login.status}`)
  /** `at`: another server, which is asked with the same headers. */
  const call = (path: string, init: RequestInit = {}, at = url) =>
    fetch(`${at}${path}`, {
      ...init,
      headers: {
        'content-type': 'application/json',
        cookie,
        ...METRICS_HEADERS,
        ...init.headers,
      },
    })
  return Object.assign(call, { cookie })
}

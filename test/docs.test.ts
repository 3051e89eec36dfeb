import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseVersion } from '#proxmox/calls/version.ts'
import { ERROR_STATUS } from '#shared/errors.ts'
import { VARIABLES } from '../src/server/config/config.ts'
import { diagnose } from '../src/server/hypervisor/connect/permission-doctor.ts'
import {
  ADMIN,
  removeFolder,
  runCommand,
  startProcess,
} from '../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../src/server/testing/test-db.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

const blocksOf = (file: string): string[] =>
  [...read(file).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '')

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

/** The commands of a block; continued lines are joined. */
const commandsOf = (block: string): string[] =>
  block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

/** What no test can do here: it would change the machine, or needs another kind of machine. */
const NOT_HERE = [
  /^docker /,
  /^sudo /,
  /^openssl .* \| sudo /,
  /^pveum /,
  /^pvesm /,
  /^npm (start|test)\b/,
  /^npm run setup$/,
  /^echo "[A-Z_]+=.*" >> \.env$/,
  /^export [A-Z_]+=/,
]
/** Run below, each as its npm script does. */
const OPERATED = /^npm run (admin|secrets:rotate|backup|restore|audit:verify|db:move)\b/

describe('the documents', () => {
  test('name only scripts that exist', () => {
    for (const file of DOCUMENTS) {
      for (const [, name = ''] of read(file).matchAll(/npm run ([\w:-]+)/g)) {
        expect(Object.keys(scripts), `${file}: npm run ${name}`).toContain(name)
      }
    }
  })

  test('name scripts that find the packaged Node on a fresh clone', () => {
    // A shell caches the path of `node`: the one that installs is not the one that continues.
    for (const [name, script] of Object.entries(scripts)) {
      if (script.includes('setup.mjs')) expect(script, name).toBe('node scripts/setup.mjs')
    }
  })

  test('contain no command that is neither run by a test nor known to be impossible here', () => {
    for (const file of DOCUMENTS.filter((name) => name !== 'docs/api-guide.md')) {
      for (const command of blocksOf(file).flatMap(commandsOf)) {
        const isKnown = OPERATED.test(command) || NOT_HERE.some((kind) => kind.test(command))
        expect(isKnown, `${file}: ${command}`).toBe(true)
      }
    }
  })

  test('name only variables that exist', () => {
    const foreign = ['POSTGRES_PASSWORD']
    for (const file of DOCUMENTS) {
      for (const [, name = ''] of read(file).matchAll(/(?:`|export |echo ")([A-Z][A-Z_]{3,})=/g)) {
        expect([...VARIABLES, ...foreign], `${file}: ${name}`).toContain(name)
      }
    }
  })

  test('compose.yaml passes on every variable that an operator may set', () => {
    // The image fixes these, or they belong to the embedded database and to other ways to run it.
    const fixed = [
      'PORT',
      'HOST',
      'DATA_DIR',
      'DEMO_LINUX',
      'DEMO_QEMU',
      'DEMO_TASK_MS',
      'MODE',
      'EMBEDDED_DB_IS_FINE',
    ]
    const app = read('compose.yaml')
    for (const name of VARIABLES) {
      if (fixed.includes(name) || name.endsWith('_FILE')) continue
      expect(app).toMatch(new RegExp(`^      ${name}: `, 'm'))
    }
  })

  test('link only to existing targets', () => {
    for (const file of DOCUMENTS) {
      for (const [, link = ''] of read(file).matchAll(/\]\(([^)#:]+)(?:#[\w-]+)?\)/g)) {
        expect(existsSync(join(ROOT, file, '..', link)), `${file}: ${link}`).toBe(true)
      }
    }
  })

  test('the threat model names proofs that exist', () => {
    const named = [...read('docs/threat-model.md').matchAll(/`([\w/*-]+\/[\w/.*-]+)`/g)]
    expect(named.length).toBeGreaterThan(15)
    for (const [, path = ''] of named) {
      const found = ['', 'src/', 'src/server/'].flatMap((base) =>
        globSync(base + path, { cwd: ROOT }),
      )
      expect(found.length, path).toBeGreaterThan(0)
    }
  })

  test('the operator guide explains every code', () => {
    const guide = read('docs/operator-guide.md')
    for (const code of Object.keys(ERROR_STATUS)) expect(guide).toContain(`| \`${code}\` |`)
  })

  test('the operator guide grants the privileges that the server requires', () => {
    const guide = read('docs/operator-guide.md')
    const { commands, optional } = diagnose({
      version: parseVersion('9.1.0'),
      permissions: new Map(),
      username: 'hushbox@pve!panel',
      scope: { pool: 'hushbox', storages: ['local-lvm'], bridges: ['vmbr0'] },
      isoStores: [],
    })
    expect(commands.length).toBeGreaterThan(10)
    for (const command of commands) expect(guide).toContain(command.split(' || pveum')[0])
    const ofSnapshots = optional.find(({ privileges }) => privileges.includes('VM.Snapshot'))
    expect(ofSnapshots?.commands).toHaveLength(4)
    for (const command of ofSnapshots?.commands ?? []) {
      expect(guide).toContain(command.split(' || pveum')[0])
    }
  })
})

type Result = { code: number; output: string }

const bash = (script: string, cwd: string, env: Record<string, string>): Promise<Result> =>
  new Promise((done) => {
    const options = { cwd, env: { PATH: process.env.PATH, ...env } }
    execFile(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', script],
      options,
      (error, stdout, stderr) =>
        done({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    )
  })

test('every command of the API guide runs', async () => {
  const server = await startProcess({ DEMO: '1' })
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-guide-'))
  const script = blocksOf('docs/api-guide.md').join('\n')
  const env = { HUSHBOX: server.url, ADMIN_PASSWORD: ADMIN.password }
  const { code, output } = await bash(script, folder, env)
  expect(output).toContain('"role":"client"')
  expect(output).toContain('"generatedPassword"')
  expect(code, output).toBe(0)
  await server.stop()
  removeFolder(server.dataDir)
  removeFolder(folder)
})

test('the commands of the operator guide run', async () => {
  const SECRET_KEY = 'a key for the guide, long enough for it'
  const env = { DATABASE_URL: await testPostgresUrl(), SECRET_KEY }
  const server = await startProcess(env)
  await server.stop()
  const here = { ...env, DATA_DIR: server.dataDir }
  const file = join(server.dataDir, 'hushbox.backup')
  // db:move starts with the embedded database: test/faults/backup.test.ts runs it.
  const runs: [string, string[], RegExp][] = [
    ['admin-reset', [], /now signs in with the password/],
    ['audit-verify', [], /is whole/],
    ['secrets-rotate', [], /Sealed 0 secrets/],
    ['backup', [file], /Proven by restoring it/],
    ['restore', [file, '--force'], /Restored/],
  ]
  for (const [name, args, expected] of runs) {
    const { code, output } = await runCommand(name, args, here)
    expect(output).toMatch(expected)
    expect(code, output).toBe(0)
    const script = Object.values(scripts).find((text) => text.includes(`commands/${name}.ts`))
    expect(script, name).toBeDefined()
  }
  removeFolder(server.dataDir)
})

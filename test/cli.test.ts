import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEY_SCOPES } from '#shared/rules/people/key-scopes.ts'
import {
  removeFolder,
  type ServerProcess,
  startProcess,
} from '../src/server/testing/server-process.ts'

const ROOT = resolve(import.meta.dirname, '..')

type Offer = { id: number; status: string; tokenType: string; monthlyPrice: string }
type Ended = { code: number; out: string; err: string }

function start(file: string, args: string[], env: Record<string, string>, cwd: string) {
  return new Promise<Ended>((done) => {
    execFile(file, args, { cwd, env: { PATH: process.env.PATH, ...env } }, (error, out, err) =>
      done({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    )
  })
}

/** A client with a key of every scope, made over the API as the settings do. */
async function keyOfNewClient(url: string): Promise<string> {
  const post = async (path: string, body: object, cookie = '') =>
    await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    })
  const registered = await post('/api/auth/register', {
    agreedToTerms: true,
    deviceMacAddress: '02:00:5e:00:53:21',
  })
  const { username, generatedPassword: password } = (await registered.json()) as {
    username: string
    generatedPassword: string
  }
  const login = await post('/api/auth/login', { username, password })
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const wish = { name: 'the command line', scopes: KEY_SCOPES, password }
  const made = await post('/api/account/api-keys', wish, cookie)
  const { key } = (await made.json()) as { key: string }
  if (made.status !== 201) throw new Error(`no key: ${made.status}`)
  return key
}

/** One file, installed from its tarball into an empty folder, and what a person does with it. */
describe('the command line against the built server', () => {
  const home = mkdtempSync(join(tmpdir(), 'hushbox-cli-'))
  const installed = join(home, 'node_modules/.bin/hushbox')
  const config = join(home, 'config/hushbox/config.json')
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), npm_config_offline: 'true' }
  let server: ServerProcess
  let key = ''
  const hushbox = (line: string, more: Record<string, string> = {}) =>
    start(installed, line.split(' '), { ...env, ...more }, home)
  const json = async <T>(line: string): Promise<T> => {
    const { code, out, err } = await hushbox(`${line} -o json`)
    expect([code, err.includes(key)], `${line}: ${err}`).toEqual([0, false])
    return JSON.parse(out) as T
  }

  beforeAll(async () => {
    server = await startProcess()
    key = await keyOfNewClient(server.url)
  })
  afterAll(async () => {
    await server.stop()
    removeFolder(server.dataDir)
    removeFolder(home)
  })

  test('is packed, and installs without a network into an empty folder', async () => {
    const folder = join(ROOT, 'dist/cli')
    const packed = await start('npm', ['pack', folder, '--json'], env, home)
    const [{ filename, files }] = JSON.parse(packed.out) as [
      { filename: string; files: { path: string }[] },
    ]
    expect(files.map(({ path }) => path).sort()).toEqual(['hushbox.js', 'package.json'])
    writeFileSync(join(home, 'package.json'), '{"private":true}')
    const install = await start('npm', ['install', `./${filename}`, '--no-audit'], env, home)
    expect(install.code, install.err).toBe(0)
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(await hushbox('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' })
  })

  test('runs by npx . from the repository', async () => {
    const { code, out } = await start('npx', ['.', 'servers', '--help'], env, ROOT)
    expect([code, out]).toEqual([0, expect.stringContaining('servers create')])
  })

  test('says how it ended, in one sentence and by its exit code', async () => {
    const cases: [line: string, code: number, words: RegExp][] = [
      ['servers list', 3, /^hushbox: You are not signed in\. Run: hushbox login\n$/],
      ['servres list', 2, /There is no command servres list/],
      ['servers', 2, /See: hushbox servers --help/],
      ['servers list --colour', 2, /There is no flag --colour/],
      ['login --url http://vps.example', 2, /would travel unprotected/],
      ['login', 2, /Nobody can be asked here/],
      [`login --url ${server.url} --key hbx_${'a'.repeat(43)}`, 3, /./],
      ['login --url http://127.0.0.1:1 --key hbx_nobody_answers', 5, /does not answer/],
      ['login --url http://a.onion --key hbx_without_tor', 2, /needs Tor/],
    ]
    for (const [line, code, words] of cases) {
      const ended = await hushbox(line)
      expect([line, ended.code, ended.out], ended.err).toEqual([line, code, ''])
      expect(ended.err).toMatch(words)
      expect(ended.err.trim().split('\n')).toHaveLength(1)
    }
  })

  test('signs in by a key, which only its owner can read', async () => {
    const signedIn = await hushbox(`login --url ${server.url}`, { HUSHBOX_KEY: key })
    expect(signedIn, signedIn.err).toMatchObject({ code: 0, err: '' })
    expect(signedIn.out).toMatch(/^Signed in to /)
    expect(signedIn.out).not.toContain(key)
    expect(statSync(config).mode & 0o777).toBe(0o600)
    const contexts = await hushbox('context list')
    expect(contexts.out).toMatch(/default +http:\/\/\S+ +- +yes/)
    expect(contexts.out).not.toContain(key)
  })

  test('buys, waits, switches, takes a snapshot and ends', async () => {
    const offers = await json<Offer[]>('offers list')
    const [offer] = offers.filter(
      ({ tokenType, status, monthlyPrice }) =>
        tokenType === 'ip_mac' && status === 'available' && Number(monthlyPrice) > 0,
    )
    const bought = await hushbox(
      `servers create --offer ${offer?.id} --name web --wait --timeout 90 -o json`,
    )
    expect(bought.code, bought.err).toBe(0)
    expect(bought.err).toMatch(/^ *\d+ % {2}/m)
    const server = JSON.parse(bought.out) as { id: number; label: string; status: string }
    expect(server).toMatchObject({ label: 'web', status: 'running' })

    expect((await hushbox('servers list')).out).toMatch(/web +running/)
    const off = await hushbox('servers power web stop --wait')
    expect([off.code, off.out]).toEqual([0, `Server ${server.id} is stopped.\n`])
    expect((await hushbox('servers power web stop')).code).toBe(1)
    expect((await hushbox('servers power web start --wait')).out).toMatch(/is running/)
    expect((await hushbox('servers console web')).out).toMatch(/^http\S+\/console\/\d+\n$/)

    const taken = await hushbox('servers snapshot take web --name before --wait')
    expect([taken.code, taken.out], taken.err).toEqual([0, 'The snapshot is taken.\n'])
    expect((await hushbox('servers snapshot list web')).out).toMatch(/before +ready/)

    const unsure = await hushbox('servers end web')
    expect([unsure.code, unsure.err]).toEqual([2, expect.stringContaining('add --yes')])
    expect((await hushbox('servers show web')).out).toMatch(/State +running/)
    const ended = await hushbox('servers end web --yes --wait')
    expect([ended.code, ended.out], ended.err).toEqual([0, `Server ${server.id} has ended.\n`])
    expect((await hushbox('servers power web start')).code).not.toBe(0)
  })

  test('finds nothing of others, and nothing that does not exist', async () => {
    expect((await hushbox('servers show 999999')).code).toBe(4)
    const none = await hushbox('servers show nowhere')
    expect([none.code, none.err]).toEqual([4, expect.stringContaining('No server is called')])
  })

  test('refuses keys that others can read, and a damaged file', async () => {
    const folder = join(home, 'open', 'hushbox')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'config.json'), '{}', { mode: 0o644 })
    const open = await hushbox('servers list', { XDG_CONFIG_HOME: join(home, 'open') })
    expect([open.code, open.err]).toEqual([2, expect.stringContaining('chmod 600')])
    chmodSync(join(folder, 'config.json'), 0o600)
    const damaged = await hushbox('servers list', { XDG_CONFIG_HOME: join(home, 'open') })
    expect([damaged.code, damaged.err]).toEqual([2, expect.stringContaining('is damaged')])
  })

  test('says that the server is away', async () => {
    await server.stop()
    const away = await hushbox('servers list')
    expect([away.code, away.out]).toEqual([5, ''])
    expect(away.err).toMatch(/^hushbox: .* does not answer\.\n$/)
  })
})

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { findCommand, parseArguments } from './arguments.ts'
import { callsOf } from './commands/command.ts'
import { COMMANDS } from './run.ts'
import { parseAddress, parseProxy } from './server/address.ts'
import { openSession } from './server/session.ts'
import { openCommandLine, stage } from './testing/stage.ts'

const { folder, hushbox } = openCommandLine()

const given = (line: string) => {
  const found = findCommand(COMMANDS, line.split(' '))
  if (!found) throw new Error(`no command: ${line}`)
  return parseArguments(found.command, found.rest)
}

describe('what is written', () => {
  test('is read as flags, lists and values', () => {
    const { values, text, texts, has } = given(
      'servers reinstall web --os=Debian --ssh-key 1 --ssh-key 2 -y -o json',
    )
    expect(values).toEqual({ server: 'web' })
    expect([text('os'), texts('ssh-key'), has('yes'), text('output'), has('wait')]).toEqual([
      'Debian',
      ['1', '2'],
      true,
      'json',
      false,
    ])
    expect(given('servers show -- -7').values).toEqual({ server: '-7' })
  })

  const timeout = '--timeout must be a whole number, not 15m.'
  test.each([
    ['servers show', 'needs a server'],
    ['servers show a b', 'does not take b'],
    ['servers show a --nothing', 'There is no flag --nothing'],
    ['servers show a -x', 'There is no flag -x'],
    ['servers show a -o yaml', '--output is one of table, json, not yaml'],
    ['servers show a -o', '--output needs a value'],
    ['servers end a --yes=no', '--yes takes no value'],
    ['servers end a --timeout 1 --timeout 2', '--timeout is given twice'],
    ['servers power a explode', 'The action is one of start, stop, shutdown, restart'],
    ['servers create', 'Choose one of --package, --offer and --trial'],
    ['servers create --offer 1 --trial 2', 'Choose one of --package, --offer and --trial'],
    ['servers create --trial 2 --coupon SPRING', 'A trial costs nothing'],
    ['servers create --offer 9 --wait --timeout 15m', timeout],
    ['servers end web --yes --wait --timeout 15m', timeout],
    ['servers create --offer 9 --ssh-key laptop', '--ssh-key must be a whole number, not laptop.'],
    ['servers reinstall web --yes --ssh-key -1', '--ssh-key must be a whole number, not -1.'],
    ['servers reinstall web --yes --user-data /none.sh', '/none.sh cannot be read.'],
    ['servers snapshot take web --days 1.5', '--days must be a whole number, not 1.5.'],
    ['servers snapshot delete 1 two', 'an id from hushbox servers snapshot list, not two.'],
    ['servers backup restore 1 two', 'The backup must be an id from hushbox servers backup list'],
    ['servers end web --yes --idempotency-key clé', 'must be 1 to 255 printable ASCII'],
    ['nonsense', 'There is no command nonsense'],
  ])('is refused: %s', async (line, words) => {
    const env = { HUSHBOX_URL: 'http://127.0.0.1:1', HUSHBOX_KEY: 'hbx_key' }
    const { code, out, err } = await hushbox(line, env)
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(words)])
  })

  test('has help with an example for every command and group', async () => {
    for (const { name } of COMMANDS) {
      const { code, out } = await hushbox(`${name} --help`)
      expect([code, out]).toEqual([0, expect.stringContaining(`Examples:\n  hushbox ${name}`)])
    }
    for (const line of ['', '--help', 'help', 'servers --help', 'servers snapshot -h']) {
      expect(await hushbox(line)).toMatchObject({ code: 0, err: '' })
    }
  })

  test('calls only what an API key can open', () => {
    const calls = COMMANDS.flatMap(callsOf)
    const closed = calls.filter(({ access, scope }) => access !== 'public' && !scope)
    expect([calls.length > 20, closed]).toEqual([true, []])
  })

  test('is completed word by word, without a server', async () => {
    const complete = async (line: string) =>
      (await hushbox(`__complete ${line}`.trim())).out.split('\n')
    expect(await complete('')).toContain('servers')
    expect(await complete('servers')).toContain('power')
    expect(await complete('servers power web')).toEqual(expect.arrayContaining(['start', '--wait']))
    expect(await complete('servers reinstall web')).toContain('--no-ssh-key')
    expect(await complete('servers list -o')).toEqual(['table', 'json', ''])
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect((await hushbox(`completion ${shell}`)).out).toContain('hushbox __complete')
    }
  })

  test('is in the guide as it can be typed', () => {
    const guide = readFileSync(resolve(import.meta.dirname, '../../docs/cli.md'), 'utf8')
    const lines = [...guide.matchAll(/^hushbox (.*)$/gm)].map(([, line = '']) => line)
    expect(lines.length).toBeGreaterThan(10)
    for (const line of lines) {
      const words = [...line.replace(/ [|>#].*$/, '').matchAll(/"([^"]*)"|(\S+)/g)]
      const found = findCommand(
        COMMANDS,
        words.map(([, quoted, bare]) => quoted ?? bare ?? ''),
      )
      expect(found, line).toBeDefined()
      if (found) expect(() => parseArguments(found.command, found.rest), line).not.toThrow()
    }
    for (const { name } of COMMANDS) expect(guide).toContain(`hushbox ${name}`)
  })
})

describe('an address', () => {
  test('is encrypted, except on this machine and inside Tor', () => {
    expect(parseAddress('vps.example/admin').href).toBe('https://vps.example/')
    for (const fine of ['http://localhost:3000', 'http://[::1]:3000', 'http://abc.onion']) {
      expect(parseAddress(fine).origin).toBe(fine)
    }
    for (const bad of [
      'http://vps.example',
      'http://127.0.0.1.vps.example',
      'ftp://x',
      'https://u:p@x',
    ]) {
      expect(() => parseAddress(bad)).toThrow(/unprotected|is not the address/)
    }
  })

  test('of a proxy is a host and a port', () => {
    expect(parseProxy('127.0.0.1:9050')).toEqual({ host: '127.0.0.1', port: 9050 })
    expect(parseProxy('socks5h://[::1]:9050')).toEqual({ host: '::1', port: 9050 })
    for (const bad of ['9050', 'a:0', 'a:70000', 'a b:1']) expect(() => parseProxy(bad)).toThrow()
  })
})

describe('an answer', () => {
  test.each([
    [400, 1],
    [401, 3],
    [403, 3],
    [404, 4],
    [409, 1],
    [500, 1],
  ])(
    '%i ends with %i and the sentence of the server, without control characters',
    async (status, code) => {
      const s = await stage({ status, body: { code: 'X', message: 'Not\u001b[31m today.' } })
      expect(await hushbox('servers list', s.env)).toEqual({
        code,
        out: '',
        err: 'hushbox: Not[31m today.\n',
      })
      s.close()
    },
  )

  test('that is lost leaves one key for every try, and the way to try again', async () => {
    const lost = { status: 0, isCut: true } as const
    const s = await stage(
      lost,
      { status: 409, body: { code: 'IN_FLIGHT', message: '' } },
      lost,
      lost,
      lost,
    )
    const session = openSession(
      { url: new URL(s.url), key: 'hbx_key' },
      { pause: async () => undefined },
    )
    const buy = session.call(api.marketplace.trial, { params: { tokenId: '7' }, body: {} })
    await expect(buy).rejects.toThrow(/--idempotency-key [\w-]{36}, and it takes effect once/)
    const keys = s.asked.map(({ headers }) => headers['idempotency-key'])
    expect([keys.length, new Set(keys).size, typeof keys[0]]).toEqual([5, 1, 'string'])
    const again = await hushbox('servers create --trial 7 --idempotency-key mine', s.env)
    expect([again.code, s.asked.at(-1)?.headers['idempotency-key']]).toEqual([1, 'mine'])
    s.close()
  })

  test('that is lost is not asked for again where a second try could do more', async () => {
    const s = await stage({ status: 0, isCut: true })
    expect((await hushbox('servers power 7 stop', s.env)).code).toBe(5)
    expect(s.asked.map(({ line }) => line)).toEqual(['POST /api/instances/7/stop'])
    s.close()
  })
})

describe('what destroys', () => {
  const preview = { status: 200, body: { confirm: 'web', keptUntil: null } }

  test('is refused where nobody can be asked, and asks for the name where somebody can', async () => {
    const s = await stage(preview, preview)
    expect(await hushbox('servers end 7', s.env)).toMatchObject({ code: 2, out: '' })
    expect(await hushbox('servers end 7', s.env, ['wob'])).toMatchObject({ code: 2, out: '' })
    expect(s.asked.map(({ line }) => line)).toEqual(Array(2).fill('GET /api/instances/7/end'))
    s.close()
  })

  test('is done with the typed name, or with --yes', async () => {
    const started = { status: 202, body: { jobId: 'a' } }
    const s = await stage(preview, started, preview, started)
    expect(await hushbox('servers end 7', s.env, ['web'])).toMatchObject({ code: 0 })
    expect(await hushbox('servers end 7 --yes', s.env)).toMatchObject({ code: 0 })
    s.close()
  })
})

test('a wrong key is not stored', async () => {
  const s = await stage({ status: 401, body: { code: 'UNAUTHENTICATED', message: 'Sign in.' } })
  const env = { HUSHBOX_URL: s.url }
  expect(await hushbox('login', env, ['hbx_wrong_key'])).toMatchObject({ code: 3, out: '' })
  expect(existsSync(join(folder, 'hushbox'))).toBe(false)
  s.close()
})

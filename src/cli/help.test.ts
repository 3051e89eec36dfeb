import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { callsOf } from './commands/command.ts'
import { COMMANDS } from './run.ts'
import { openCommandLine, stageBy } from './testing/stage.ts'

const { hushbox } = openCommandLine()

/** Each command with all that makes it call more: a name in place of an id, and waiting. */
const LINES: Record<string, string[]> = {
  login: ['--key hbx_key_of_mine'],
  'servers list': [''],
  'servers show': ['web'],
  'servers power': ['start', 'stop', 'shutdown', 'restart'].map((act) => `web ${act} --wait`),
  'servers console': ['web'],
  'servers reinstall': ['web --yes --wait'],
  'servers end': ['web --yes --wait'],
  'packages list': [''],
  'offers list': [''],
  'servers create': ['--package p --os Debian', '--offer 1', '--trial 1 --wait'],
  'jobs list': [''],
  'servers package list': ['web'],
  'servers package change': ['web large --wait'],
  'servers package keep': ['web'],
  'servers snapshot list': ['web'],
  'servers snapshot take': ['web --wait'],
  'servers snapshot rollback': ['web 3 --yes --wait'],
  'servers snapshot delete': ['web 3 --yes --wait'],
  'servers backup list': ['web'],
  'servers backup make': ['web --wait'],
  'servers backup restore': ['web 2 --into spare --yes --wait'],
  'servers backup delete': ['web 2 --yes --wait'],
}

const ROUTES = Object.values(api).flatMap((group): Route[] => Object.values(group))
const lineOf = ({ method, path }: Route) => `${method} ${path}`

function routeOf(line: string): Route {
  const matches = (route: Route) =>
    new RegExp(`^${lineOf(route).replace(/:\w+/g, '[^/]+')}$`).test(line)
  const route = ROUTES.find((one) => lineOf(one) === line) ?? ROUTES.find(matches)
  return route ?? expect.fail(`no route: ${line}`)
}

const SERVERS = [
  { id: 7, label: 'web', createdAt: '2026-01-01' },
  { id: 8, label: 'spare', createdAt: '2026-01-01' },
]
const LISTS: Route[] = [api.jobs.list, api.packages.public, api.marketplace.tokens]
/** Enough of every answer that is no list. */
const ANSWER = {
  ...{ id: 7, serverId: 7, jobId: 'a', jobs: [], addresses: [], hostKeys: [], size: {} },
  ...{ confirm: 'web', others: [{ id: 8, confirm: 'spare' }], sshKeyIds: [], osType: 'Debian' },
  ...{ backups: [], snapshots: [], packages: [], status: 'running', message: 'Done.' },
  can: { console: { allowed: true } },
}

/** What a command asks a server whose order is made between the first look and the second. */
async function askedBy(line: string): Promise<Route[]> {
  let looks = 0
  const answer = (asked: string) => {
    const route = routeOf(asked)
    if (route === api.client.instances) return SERVERS
    if (LISTS.includes(route)) return []
    if (route === api.billing.details) looks += 1
    return { ...ANSWER, order: { id: 3, status: looks > 1 ? 'active' : 'provisioning' } }
  }
  const s = await stageBy((asked) => ({ status: 200, body: answer(asked) }))
  const { code, err } = await hushbox(line.trim(), s.env)
  expect(code, `${line}: ${err}`).toBe(0)
  s.close()
  return s.asked.map((one) => routeOf(one.line))
}

describe('the help names every scope that a key needs', () => {
  test.each(COMMANDS.filter((command) => callsOf(command).length > 0))(
    'for $name',
    async (command) => {
      const lines = LINES[command.name] ?? expect.fail('No line calls all that it can call.')
      const asked: Route[] = []
      for (const rest of lines) asked.push(...(await askedBy(`${command.name} ${rest}`)))
      expect(new Set(asked.map(lineOf))).toEqual(new Set(callsOf(command).map(lineOf)))

      const { out } = await hushbox(`${command.name} --help`)
      const [, named = ''] = /^The key needs (.*)\.$/m.exec(out) ?? []
      const needed = asked.flatMap(({ scope = 'any' }) => (scope === 'any' ? [] : [scope]))
      const scopes = named === '' ? [] : named.split(', ')
      expect(scopes.toSorted()).toEqual([...new Set(needed)].toSorted())
    },
  )

  test('and no command that is not walked here calls anything', () => {
    const silent = COMMANDS.filter((command) => callsOf(command).length === 0)
    expect(silent.map(({ name }) => name)).toEqual([
      'context list',
      'context use',
      'context remove',
      'completion',
    ])
  })
})

import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { rowsOf } from '../../src/server/db/catalog.ts'
import { safeError } from '../../src/server/lib/safe-error.ts'
import { PASSWORD } from '../../src/server/testing/factories.ts'
import { testApp } from '../../src/server/testing/test-app.ts'
import { BOTH_DATABASES } from '../../src/server/testing/test-db.ts'

const CANARY = 'canary-5f0c1e'
const DEVICE = 'ca:4a:5f:0c:1e:02'

/** Refuses every written row, and quotes the whole row in the error, as constraints do. */
const REFUSE_ALL = sql`do $$ declare name text; begin
  create function refuse_canary() returns trigger language plpgsql as $f$
    begin raise exception 'refused' using detail = new::text, hint = new::text; end $f$;
  for name in select tablename from pg_tables where schemaname = 'public'
    and tablename not in ('migrations', 'heartbeats', 'limits') loop
    execute format('create trigger refuse_canary before insert or update on %I
      for each row execute function refuse_canary()', name);
  end loop;
end $$`

describe.each(BOTH_DATABASES)('failing statements on %s', async (database) => {
  const lines: string[] = []
  const logTo = { write: (line: string) => void lines.push(line) }
  const t = await testApp({ database, env: { LOG_LEVEL: 'trace' }, logTo })
  const boss = await t.make.admin()
  const client = await t.make.client()
  const [admin, own] = [t.as(boss), t.as(client)]
  await Promise.all([admin.cookie, own.cookie])
  await t.db.execute(REFUSE_ALL)

  const CALLS: [typeof admin, 'POST' | 'PUT' | 'PATCH' | 'DELETE', string, object | undefined][] = [
    [t.visitor, 'POST', '/api/auth/register', { agreedToTerms: true, deviceMacAddress: DEVICE }],
    [t.visitor, 'POST', '/api/auth/login', { username: client.username, password: PASSWORD }],
    [t.visitor, 'POST', '/api/auth/login', { username: CANARY, password: CANARY }],
    [
      own,
      'POST',
      '/api/account/password',
      { currentPassword: PASSWORD, newPassword: `${CANARY}-new-password` },
    ],
    [
      admin,
      'POST',
      '/api/admin/users',
      {
        firstName: CANARY,
        lastName: CANARY,
        email: `${CANARY}@example.test`,
        mobileNumber: '0123456789',
        password: `${CANARY}-password`,
        agreedToTerms: true,
      },
    ],
    [admin, 'POST', '/api/users', { email: `${CANARY}@example.test`, firstName: CANARY }],
    [admin, 'PATCH', `/api/admin/users/${client.id}`, { firstName: CANARY }],
    [admin, 'POST', `/api/admin/users/${client.id}/reset-password`, undefined],
    [admin, 'POST', `/api/admin/simulate/${client.id}`, undefined],
    [admin, 'POST', '/api/operating-systems', { name: CANARY, description: CANARY }],
    [
      admin,
      'POST',
      '/api/packages',
      {
        name: CANARY,
        cpu: '1',
        ram: '1 GB',
        storage: '10 GB',
        price: 5,
        osOptions: ['Debian 12'],
      },
    ],
    [own, 'POST', '/api/auth/logout', undefined],
  ]

  test('are logged without their parameters, at every level', async () => {
    const statuses: number[] = []
    for (const [who, method, url, payload] of CALLS) {
      const reply = await who.send({ method, url, ...(payload ? { payload } : {}) })
      statuses.push(reply.statusCode)
    }
    expect(statuses.filter((status) => status === 500).length).toBeGreaterThan(7)
    const log = lines.join('')
    expect(log).toContain('Failed query')
    const [device] = await rowsOf<{ value: string }>(
      t.db,
      sql`select value from settings where key = 'device-pepper'`,
    )
    const secrets = [CANARY, DEVICE, '$argon2', client.username, PASSWORD, 'v1:', device?.value]
    for (const secret of secrets.filter((one) => one !== undefined)) {
      expect(lines.filter((line) => line.includes(secret))).toEqual([])
    }
  })
})

describe('a logged error', async () => {
  const lines: string[] = []
  const logTo = { write: (line: string) => void lines.push(line) }
  const { app } = await testApp({ env: { LOG_LEVEL: 'trace' }, logTo })

  const parse = (text: string): Error => {
    try {
      JSON.parse(text)
    } catch (error) {
      if (error instanceof Error) return error
    }
    throw new Error('it was JSON')
  }
  const query = Object.assign(new Error(`Failed query: select $1\nparams: ${CANARY}`), {
    query: 'select $1',
    params: [CANARY],
    cause: Object.assign(new Error(`invalid input syntax for type integer: "${CANARY}"`), {
      code: '22P02',
      detail: `Key (email)=(${CANARY})`,
      where: CANARY,
    }),
  })
  const ERRORS: [string, Error][] = [
    ['of a statement', query],
    ['of a parser', parse(`{"password":"${CANARY}`)],
    ['with an address', new Error(`no answer of wss://node/websocket?vncticket=${CANARY}&port=1`)],
    ['with a path', new Error(`cannot read /api/console?ticket=${CANARY}`)],
    ['with headers', Object.assign(new Error('x'), { headers: { cookie: CANARY }, body: CANARY })],
    ['of several', new AggregateError([query, parse(CANARY)], 'all of them')],
    ['far down', new Error('a', { cause: new Error('b', { cause: query }) })],
  ]

  test.each(ERRORS)('%s shows none of its input, however it is passed', (_what, error) => {
    lines.length = 0
    app.log.error(error)
    app.log.error(error, 'bare')
    app.log.error({ err: error })
    app.log.warn({ error, list: [error], deep: { reason: error } }, 'under other names')
    app.log.trace(
      { password: CANARY, body: { any: CANARY }, query: { params: [CANARY] } },
      'fields',
    )
    expect(lines).toHaveLength(5)
    expect(lines.join('')).not.toContain(CANARY)
    expect(JSON.stringify(safeError(error))).not.toContain(CANARY)
  })

  test('still says what failed, where, and why', () => {
    expect(safeError(query)).toMatchObject({
      message: 'Failed query: select $1',
      stack: expect.stringContaining('canary-logs.test.ts'),
      cause: { code: '22P02', message: 'invalid input syntax for type integer: "…"' },
    })
  })
})

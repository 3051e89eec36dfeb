import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, harness, sendTo, tokenHeader } from '../testing/harness.ts'
import { totp } from './tickets.ts'

const HOUR = 3_600_000
let time = Date.now()
let pve: Harness
beforeAll(async () => {
  pve = await harness({ now: () => time, version: '8.4' })
})
afterAll(() => pve.close())

const login = (form: Record<string, string>) => sendTo(pve.sim, 'POST', '/access/ticket', { form })

describe('tickets', () => {
  it('are issued to root, with the answer of a real login', async () => {
    const { status, data } = await login({ username: 'root@pam', password: pve.sim.password })
    expect(status).toBe(200)
    expect(data.ticket).toMatch(/^PVE:root@pam:[0-9A-F]{8}::\S+$/)
    expect(data.CSRFPreventionToken).toMatch(/^[0-9A-F]{8}:\S+$/)
    expect(data).toMatchObject({ username: 'root@pam', clustername: 'hushbox' })
    expect(data.cap?.vms).toMatchObject({ 'VM.PowerMgmt': 1 })
  })

  it('accept the realm as a parameter of its own, but not a missing realm', async () => {
    const password = pve.sim.password
    expect((await login({ username: 'root', realm: 'pam', password })).status).toBe(200)
    const bare = await login({ username: 'root', password })
    expect([bare.status, bare.reason, bare.text]).toEqual([
      401,
      'authentication failure',
      '{"data":null,"message":"authentication failure\\n"}',
    ])
  })

  it('require a CSRF token for every write', async () => {
    const { cookie, csrfpreventiontoken } = await pve.ticket('root@pam', pve.sim.password)
    const path = '/nodes/pve1/qemu/103/config'
    const without = await pve.as({ cookie })('PUT', path, { onboot: '1' })
    expect([without.status, without.reason, without.text]).toEqual([
      401,
      'Permission denied - invalid csrf token',
      '',
    ])
    const proper = await pve.as({ cookie, csrfpreventiontoken })('PUT', path, { onboot: '1' })
    expect(proper.status).toBe(200)
    expect((await pve.as({ cookie })('GET', '/version')).status).toBe(200)
  })

  it('expire after two hours and can be renewed before', async () => {
    const first =
      (await login({ username: 'root@pam', password: pve.sim.password })).data.ticket ?? ''
    time += 1.5 * HOUR
    const renewed = await login({ username: 'root@pam', password: first })
    expect(renewed.status).toBe(200)
    time += HOUR
    const headers = (ticket: string) => ({ cookie: `PVEAuthCookie=${encodeURIComponent(ticket)}` })
    const stale = await pve.as(headers(first))('GET', '/version')
    expect([stale.status, stale.reason, stale.text]).toEqual([
      401,
      'permission denied - invalid PVE ticket',
      '',
    ])
    expect((await pve.as(headers(renewed.data.ticket ?? ''))('GET', '/version')).status).toBe(200)
    expect((await login({ username: 'root@pam', password: first })).status).toBe(401)
  })

  it('require a second factor and are no login until it arrives', async () => {
    const half = await login({ username: 'tfa@pve', password: 'tfa-password' })
    const challenge = half.data.ticket ?? ''
    expect(half.data.NeedTFA).toBe(1)
    expect(challenge).toMatch(/^PVE:!tfa!%7B.*%7D:[0-9A-F]{8}::/)
    const cookie = `PVEAuthCookie=${encodeURIComponent(challenge)}`
    expect((await pve.as({ cookie })('GET', '/version')).status).toBe(401)
    const answer = (password: string) =>
      login({ username: 'tfa@pve', password, 'tfa-challenge': challenge })
    expect((await answer('totp:000000')).status).toBe(401)
    const secret = pve.sim.state.users.get('tfa@pve')?.tfa?.totp ?? ''
    const whole = await answer(`totp:${totp(secret, time)}`)
    expect(whole.data.ticket).toMatch(/^PVE:tfa@pve:/)
    expect((await answer('recovery:1111-2222-3333-4444')).status).toBe(200)
    expect((await answer('recovery:1111-2222-3333-4444')).status).toBe(401)
  })

  it('are not needed to list the realms', async () => {
    const reply = await sendTo(pve.sim, 'GET', '/access/domains')
    expect(reply.data.map((realm) => realm.realm)).toEqual(['pam', 'pve'])
    expect((await sendTo(pve.sim, 'GET', '/version')).reason).toBe('No ticket')
  })
})

describe('tokens', () => {
  it('work without a CSRF token, but not with a wrong secret', async () => {
    const wrong = await pve.as(tokenHeader(pve.sim.apiToken.id, 'wrong'))('GET', '/version')
    expect([wrong.status, wrong.reason, wrong.text]).toEqual([401, 'invalid token value!', ''])
    expect((await pve.call('PUT', '/nodes/pve1/qemu/103/config', { onboot: '1' })).status).toBe(200)
  })

  it('are ignored beside a cookie', async () => {
    const reply = await pve.as({ ...pve.admin, cookie: 'PVEAuthCookie=nonsense' })(
      'GET',
      '/version',
    )
    expect(reply.status).toBe(401)
  })

  it('cannot log in', async () => {
    const reply = await pve.call('POST', '/access/ticket', { username: 'root@pam', password: 'x' })
    expect([reply.status, reply.reason]).toEqual([
      403,
      "Permission check failed (URI '/access/ticket' not available with API token, need proper ticket.",
    ])
  })

  it('are created once and their secret is shown once', async () => {
    const path = '/access/users/viewer@pve/token/fresh'
    const made = await pve.call('POST', path, { privsep: '0', comment: 'panel' })
    expect(made.data).toMatchObject({
      'full-tokenid': 'viewer@pve!fresh',
      info: { privsep: '0', comment: 'panel' },
    })
    const headers = tokenHeader('viewer@pve!fresh', made.data.value)
    expect((await pve.as(headers)('GET', '/nodes/pve1/qemu/100/config')).status).toBe(200)
    expect((await pve.call('POST', path, {})).reason).toMatch(/already exists/)
    expect((await pve.call('DELETE', path)).data).toBeNull()
    expect((await pve.as(headers)('GET', '/version')).status).toBe(401)
  })

  it('of root are not root', async () => {
    const reply = await pve.call('PUT', '/nodes/pve1/qemu/103/config', { args: '-foo' })
    expect([reply.status, reply.reason]).toEqual([500, "only root can set 'args' config"])
    const root = await pve.ticket('root@pam', pve.sim.password)
    expect(
      (await pve.as(root)('PUT', '/nodes/pve1/qemu/103/config', { args: '-foo' })).status,
    ).toBe(200)
  })

  it('expire', async () => {
    const token = pve.sim.state.addToken({
      userid: 'root@pam',
      tokenid: 'short',
      expire: Math.floor(time / 1000) + 60,
      privsep: false,
    })
    const headers = tokenHeader('root@pam!short', token.secret)
    expect((await pve.as(headers)('GET', '/version')).status).toBe(200)
    time += 61_000
    expect((await pve.as(headers)('GET', '/version')).status).toBe(401)
  })
})

it('gives no reason for a 401 since 9.1.5', async () => {
  const modern = await harness()
  const reply = await modern.as(tokenHeader('root@pam!hushbox', 'wrong'))('GET', '/version')
  expect([reply.status, reply.reason, reply.text]).toEqual([401, 'Authentication failed!', ''])
  await modern.close()
})

it('delays every 401', async () => {
  const slow = await harness({ authDelayMs: 120 })
  const before = performance.now()
  expect((await slow.as({})('GET', '/version')).status).toBe(401)
  expect(performance.now() - before).toBeGreaterThan(110)
  await slow.close()
})

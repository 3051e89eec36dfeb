import { afterEach, describe, expect, it } from 'vitest'
import { proxmoxClient } from '../client.ts'
import { failureOf } from '../testing/failure-of.ts'
import { type FakeAnswer, type FakeRequest, startFakePve } from '../testing/fake-pve.ts'
import { manualClock } from '../testing/manual-clock.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const MINUTE = 60_000
const vm = { node: 'pve1', vmid: 100 }
const UPID = 'UPID:pve1:0000C8B0:0000D780:5FBE5E7F:qmstart:100:root@pam:'
const unauthorised: FakeAnswer = { status: 401, reason: 'Authentication failed!', raw: '' }

/** A node that issues tickets T1, T2… and accepts those not in `expired`. */
async function scene(signIn?: (request: FakeRequest) => FakeAnswer | undefined) {
  let tickets = 0
  const expired = new Set<string>()
  const fake = await startFakePve((request) => {
    if (request.path === '/access/ticket') {
      const special = signIn?.(request)
      if (special) return special
      tickets += 1
      return { data: { ticket: `PVE:root@pam:T${tickets}::=`, CSRFPreventionToken: `C${tickets}` } }
    }
    const ticket = /T\d+/.exec(request.headers.cookie ?? '')?.[0] ?? ''
    if (ticket === '' || expired.has(ticket)) return unauthorised
    return { data: request.method === 'GET' ? '101' : UPID }
  })
  const clock = manualClock()
  const client = proxmoxClient({
    hosts: [{ host: '127.0.0.1', port: fake.port }],
    pin: fake.pin,
    auth: { kind: 'password', username: 'root@pam', password: 'secret&=;' },
    clock,
  })
  cleanups.push(fake.close, client.close)
  const signIns = () =>
    fake.requests
      .filter((request) => request.path === '/access/ticket')
      .map((request) => request.form.get('password'))
  return { fake, clock, client, expired, signIns }
}

describe('a password session', () => {
  it('signs in once for many calls, sends the cookie, and the CSRF token only with writes', async () => {
    const { fake, client, signIns } = await scene()
    await Promise.all([client.cluster.nextId(), client.cluster.nextId(), client.qemu.start(vm)])
    expect(signIns()).toEqual(['secret&=;'])
    const read = fake.requests.find((request) => request.path === '/cluster/nextid')
    const write = fake.requests.find((request) => request.path.endsWith('/start'))
    expect(read?.headers.cookie).toBe('PVEAuthCookie=PVE%3Aroot%40pam%3AT1%3A%3A%3D')
    expect(read?.headers.csrfpreventiontoken).toBeUndefined()
    expect(write?.headers.csrfpreventiontoken).toBe('C1')
    expect(write?.headers.authorization).toBeUndefined()
  })

  it('renews with the old ticket before two hours are over', async () => {
    const { clock, client, signIns } = await scene()
    await client.cluster.nextId()
    clock.advance(89 * MINUTE)
    await client.cluster.nextId()
    expect(signIns()).toHaveLength(1)
    clock.advance(2 * MINUTE)
    await client.cluster.nextId()
    expect(signIns()).toEqual(['secret&=;', 'PVE:root@pam:T1::='])
  })

  it('signs in anew when the ticket is too old to renew, or renewal is refused', async () => {
    const { clock, client, signIns } = await scene((request) =>
      request.form.get('password')?.startsWith('PVE:') ? unauthorised : undefined,
    )
    await client.cluster.nextId()
    clock.advance(91 * MINUTE)
    await client.cluster.nextId()
    expect(signIns()).toEqual(['secret&=;', 'PVE:root@pam:T1::=', 'secret&=;'])
    clock.advance(180 * MINUTE)
    await client.cluster.nextId()
    expect(signIns().slice(3)).toEqual(['secret&=;'])
  })

  it('keeps a ticket that is still good when renewal gets no answer', async () => {
    const { clock, client } = await scene((request) =>
      request.form.get('password')?.startsWith('PVE:') ? 'reset' : undefined,
    )
    await client.cluster.nextId()
    clock.advance(91 * MINUTE)
    expect(await client.cluster.nextId()).toBe(101)
  })

  it('signs in again once after a 401, and repeats even a write, because it was not done', async () => {
    const { fake, client, expired, signIns } = await scene()
    await client.cluster.nextId()
    expired.add('T1')
    expect(await client.qemu.start(vm)).toBe(UPID)
    expect(signIns()).toHaveLength(2)
    expect(fake.requests.filter((request) => request.path.endsWith('/start'))).toHaveLength(2)
  })

  it('gives up after the second 401', async () => {
    const { client, expired, signIns } = await scene()
    for (const ticket of ['T1', 'T2', 'T3']) expired.add(ticket)
    expect(await failureOf(client.cluster.nextId())).toEqual({ kind: 'unauthorised' })
    expect(signIns()).toHaveLength(2)
  })

  it('retries a sign-in without an answer, also elsewhere, because it has no other effect', async () => {
    let tries = 0
    const { client, signIns } = await scene(() => {
      tries += 1
      return tries === 1 ? 'reset' : undefined
    })
    expect(await client.qemu.start(vm)).toBe(UPID)
    expect(signIns()).toHaveLength(2)
  })

  it('that cannot sign in is unreachable, even for a write, because nothing was requested yet', async () => {
    const { client } = await scene(() => ({ status: 595, reason: 'No route to host' }))
    expect(await failureOf(client.qemu.start(vm))).toMatchObject({ kind: 'unreachable' })
  })

  it('reports a wrong password', async () => {
    const { client } = await scene(() => ({ status: 401, reason: 'authentication failure' }))
    expect(await failureOf(client.cluster.nextId())).toEqual({ kind: 'unauthorised' })
  })

  it('reports a second factor, and does not mistake the challenge for a ticket', async () => {
    const challenge = encodeURIComponent('{"totp":true,"recovery":"available","u2f":null}')
    const { fake, client } = await scene(() => ({
      data: { ticket: `PVE:!tfa!${challenge}:5FBE5EB6::sig`, NeedTFA: 1, CSRFPreventionToken: 'x' },
    }))
    expect(await failureOf(client.cluster.nextId())).toEqual({
      kind: 'tfa-required',
      methods: ['totp', 'recovery'],
    })
    expect(fake.requests.map((request) => request.path)).toEqual(['/access/ticket'])
  })

  it('reports a sign-in that yields no ticket', async () => {
    const { client } = await scene(() => ({ data: { username: 'root@pam', cap: {} } }))
    expect(await failureOf(client.cluster.nextId())).toEqual({ kind: 'bad-answer' })
  })
})

describe('a token session', () => {
  it('sends the token and nothing else, and never signs in', async () => {
    const fake = await startFakePve((_, count) => (count === 1 ? { data: '101' } : unauthorised))
    cleanups.push(fake.close)
    const client = proxmoxClient({
      hosts: [{ host: '127.0.0.1', port: fake.port }],
      pin: fake.pin,
      auth: { kind: 'token', tokenId: 'vps@pve!app', secret: 'uuid' },
    })
    cleanups.push(client.close)
    await client.cluster.nextId()
    expect(fake.requests[0]?.headers.authorization).toBe('PVEAPIToken=vps@pve!app=uuid')
    expect(fake.requests[0]?.headers.cookie).toBeUndefined()
    expect(await failureOf(client.qemu.start(vm))).toEqual({ kind: 'unauthorised' })
    expect(fake.requests).toHaveLength(2)
  })

  it('with an impossible secret is unauthorised', async () => {
    const client = proxmoxClient({
      hosts: [{ host: '127.0.0.1', port: 1 }],
      auth: { kind: 'token', tokenId: 'vps@pve!app', secret: 'uuid\r\nX-Evil: 1' },
    })
    cleanups.push(client.close)
    expect(await failureOf(client.version.get())).toEqual({ kind: 'unauthorised' })
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import { proxmoxClient } from '../client.ts'
import { failureOf } from '../testing/failure-of.ts'
import {
  type FakeAnswer,
  type FakePve,
  type FakeRequest,
  startFakePve,
} from '../testing/fake-pve.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { isProxmoxError } from '../wire/errors.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const vm = { node: 'pve1', vmid: 100 }
const UPID = 'UPID:pve1:0000C8B0:0000D780:5FBE5E7F:qmstart:100:vps@pve!app:'

async function fakeThat(
  answer: (request: FakeRequest, count: number) => FakeAnswer | Promise<FakeAnswer>,
) {
  const fake = await startFakePve(answer)
  cleanups.push(fake.close)
  return fake
}

function clientOf(fakes: readonly FakePve[], clock = manualClock()) {
  const [first, ...others] = fakes.map(({ port, pin }) => ({ host: '127.0.0.1', port, pin }))
  if (!first) throw new Error('no hosts')
  const client = proxmoxClient({
    hosts: [first, ...others],
    auth: { kind: 'token', tokenId: 'vps@pve!app', secret: 'canary-secret' },
    timeouts: { requestMs: 1000, slowMs: 1000, connectMs: 1000 },
    clock,
  })
  cleanups.push(client.close)
  return client
}

describe('a read', () => {
  it('is repeated once after a lost connection', async () => {
    const fake = await fakeThat((_, count) => (count === 1 ? 'reset' : { data: '101' }))
    expect(await clientOf([fake]).cluster.nextId()).toBe(101)
    expect(fake.requests).toHaveLength(2)
  })

  it('that never gets through is unreachable, and nothing else', async () => {
    const reset = await fakeThat(() => 'reset')
    const cut = await fakeThat(() => 'cut-body')
    const disconnected = { kind: 'unreachable', reason: 'disconnected' }
    expect(await failureOf(clientOf([reset]).cluster.nextId())).toEqual(disconnected)
    expect(await failureOf(clientOf([cut]).cluster.nextId())).toEqual(disconnected)
    expect(reset.requests).toHaveLength(2)
  })

  it('ends at its deadline when no answer arrives', async () => {
    const fake = await fakeThat(() => 'hang')
    const failure = await failureOf(clientOf([fake]).cluster.nextId())
    expect(failure).toEqual({ kind: 'unreachable', reason: 'timeout' })
  })

  it('goes to another node after a failure, and stays there', async () => {
    const silent = await fakeThat(() => 'hang')
    const good = await fakeThat(() => ({ data: '101' }))
    const client = clientOf([silent, good])
    expect(await client.cluster.nextId()).toBe(101)
    expect(await client.cluster.nextId()).toBe(101)
    expect(silent.requests).toHaveLength(1)
    expect(client.hosts()).toEqual([
      { host: '127.0.0.1', port: silent.port, failure: { kind: 'unreachable', reason: 'timeout' } },
      { host: '127.0.0.1', port: good.port, failure: undefined },
    ])
  })

  it('goes through another node when this one cannot reach the target node', async () => {
    const cutOff = await fakeThat(() => ({ status: 595, reason: 'No route to host' }))
    const good = await fakeThat(() => ({ data: { status: 'running' } }))
    expect(await clientOf([cutOff, good]).qemu.status(vm)).toMatchObject({ status: 'running' })
    expect(await failureOf(clientOf([cutOff]).qemu.status(vm))).toEqual({
      kind: 'unreachable',
      reason: 'node-unreachable',
    })
  })

  it('of something unreadable is a bad answer, and is not repeated', async () => {
    for (const raw of ['{"data":', '<html>Bad Gateway</html>', '{"data":"not a number"}']) {
      const fake = await fakeThat(() => ({ raw }))
      expect(await failureOf(clientOf([fake]).cluster.nextId())).toEqual({ kind: 'bad-answer' })
      expect(fake.requests).toHaveLength(1)
    }
  })

  it('about another VM is a bad answer', async () => {
    const fake = await fakeThat(() => ({ data: { status: 'stopped', vmid: '999' } }))
    expect(await failureOf(clientOf([fake]).qemu.status(vm))).toEqual({ kind: 'bad-answer' })
  })

  it('can be given up', async () => {
    const fake = await fakeThat(() => 'hang')
    const controller = new AbortController()
    const pending = failureOf(clientOf([fake]).cluster.nextId({ signal: controller.signal }))
    controller.abort()
    expect(await pending).toEqual({ kind: 'unreachable', reason: 'aborted' })
  })
})

describe('a write', () => {
  const start = (fakes: readonly FakePve[]) => clientOf(fakes).qemu.start(vm)

  it.each<[string, FakeAnswer]>([
    ['the connection is lost', 'reset'],
    ['the answer is cut off', 'cut-body'],
    ['nobody answers', 'hang'],
    ['the entry node lost the other one', { status: 596, reason: 'Connection timed out' }],
    ['a proxy gave up', { status: 502, reason: 'Bad Gateway', raw: '<html>' }],
    ['a proxy failed', { status: 500, reason: 'Internal Server Error', raw: '<html>' }],
    ['the answer is no UPID', { data: 'OK' }],
    ['the task is about another VM', { data: UPID.replace(':100:', ':999:') }],
  ])('has an unknown outcome and is sent once when %s', async (_, answer) => {
    const fake = await fakeThat(() => answer)
    const other = await fakeThat(() => ({ data: UPID }))
    expect(await failureOf(start([fake, other]))).toEqual({
      kind: 'unknown-outcome',
      upid: undefined,
    })
    expect(fake.requests).toHaveLength(1)
    expect(other.requests).toHaveLength(0)
  })

  it('goes to another node when it was certainly not sent', async () => {
    const gone = await startFakePve(() => 'hang')
    await gone.close()
    const good = await fakeThat(() => ({ data: UPID }))
    expect(await start([gone, good])).toBe(UPID)
    expect(await failureOf(start([gone]))).toEqual({
      kind: 'unreachable',
      reason: 'connection-refused',
    })
  })

  it('carries its form in the body, and for a DELETE in the query', async () => {
    const fake = await fakeThat(() => ({ data: UPID }))
    const client = clientOf([fake])
    await client.qemu.shutdown(vm, { timeoutSeconds: 30, forceStop: true })
    await client.qemu.remove(vm)
    const [shutdown, remove] = fake.requests
    expect(shutdown?.form.toString()).toBe('timeout=30&forceStop=1')
    expect(shutdown?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(shutdown?.headers['content-length']).toBe('22')
    expect(remove?.query.toString()).toBe('purge=1&destroy-unreferenced-disks=1')
    expect(remove?.headers['content-length']).toBeUndefined()
    expect(remove?.headers['transfer-encoding']).toBeUndefined()
  })
})

describe('refusals', () => {
  it.each<[FakeAnswer, object]>([
    [
      { status: 403, reason: 'Permission check failed (/vms/100, VM.PowerMgmt|VM.Console)' },
      { kind: 'forbidden', path: '/vms/100', privileges: ['VM.PowerMgmt', 'VM.Console'] },
    ],
    [
      {
        status: 500,
        raw: '{"data":null,"message":"Configuration file \'nodes/pve1/qemu-server/100.conf\' does not exist\\n"}',
      },
      { kind: 'not-found', what: 'vm' },
    ],
    [
      { status: 500, reason: 'VM is locked (backup)' },
      { kind: 'locked', lock: 'backup' },
    ],
    [
      { status: 400, reason: 'Parameter verification failed.', errors: { timeout: 'too small\n' } },
      { kind: 'invalid', parameters: { timeout: 'too small' } },
    ],
    [{ status: 401, reason: 'Authentication failed!', raw: '' }, { kind: 'unauthorised' }],
    [
      { status: 429, reason: 'Too Many Requests' },
      { kind: 'unreachable', reason: 'overloaded' },
    ],
    [{ status: 302, reason: 'Found' }, { kind: 'bad-answer' }],
  ])('are typed: %j', async (answer, failure) => {
    const fake = await fakeThat(() => answer)
    expect(await failureOf(clientOf([fake]).qemu.start(vm))).toEqual(failure)
    expect(fake.requests).toHaveLength(1)
  })

  it('contain no secret', async () => {
    const fake = await fakeThat(() => ({ status: 500, reason: 'no' }))
    const error = await clientOf([fake])
      .qemu.setUserPassword(vm, { username: 'root', password: 'canary-password' })
      .catch((reason: unknown) => reason)
    expect(isProxmoxError(error, 'refused')).toBe(true)
    expect(JSON.stringify(error) + String(error) + (error as Error).stack).not.toContain('canary')
  })
})

describe('the limit per node', () => {
  it('keeps three requests in flight and no more', async () => {
    let inFlight = 0
    let most = 0
    const full = Promise.withResolvers<void>()
    const fake = await fakeThat(async () => {
      inFlight += 1
      most = Math.max(most, inFlight)
      if (inFlight === 3) full.resolve()
      await full.promise
      await new Promise((resolve) => setImmediate(resolve))
      inFlight -= 1
      return { data: { status: 'running' } }
    })
    const client = clientOf([fake])
    await Promise.all(Array.from({ length: 20 }, () => client.qemu.status(vm)))
    expect(fake.requests).toHaveLength(20)
    expect(most).toBe(3)
  })

  it('does not let a call wait beyond its deadline', async () => {
    const fake = await fakeThat(() => 'hang')
    const client = clientOf([fake])
    const calls = Array.from({ length: 5 }, () => failureOf(client.qemu.start(vm)))
    const kinds = (await Promise.all(calls)).map((failure) => failure.kind)
    // Three were sent and their outcome is unknown; two never left the queue and may be repeated.
    expect(kinds.toSorted()).toEqual([
      'unknown-outcome',
      'unknown-outcome',
      'unknown-outcome',
      'unreachable',
      'unreachable',
    ])
    expect(fake.requests).toHaveLength(3)
  })
})

it('a closed client ends the calls under way and sends nothing more', async () => {
  const fake = await fakeThat(() => 'hang')
  const client = clientOf([fake])
  const pending = failureOf(client.cluster.nextId())
  await client.close()
  expect(await pending).toEqual({ kind: 'unreachable', reason: 'closed' })
  expect(await failureOf(client.cluster.nextId())).toEqual({
    kind: 'unreachable',
    reason: 'closed',
  })
})

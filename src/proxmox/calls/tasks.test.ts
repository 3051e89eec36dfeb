import { afterEach, describe, expect, it } from 'vitest'
import { proxmoxClient } from '../client.ts'
import { failureOf } from '../testing/failure-of.ts'
import { type FakeAnswer, startFakePve } from '../testing/fake-pve.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { parseUpid } from '../wire/upid.ts'
import { percentIn, type TaskProgress } from './task-wait.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const UPID = 'UPID:pve2:0000C8B0:0000D780:5FBE5E7F:qmclone:9000:vps@pve!app:'
const running: FakeAnswer = { data: { upid: UPID, status: 'running' } }
const ended = (exitstatus: string): FakeAnswer => ({
  data: { upid: UPID, status: 'stopped', exitstatus },
})

/** A task whose status is polled repeatedly; the last answer repeats. */
async function taskThat(...answers: FakeAnswer[]) {
  let asked = 0
  const log: { n: number; t: string }[] = []
  const fake = await startFakePve((request) => {
    if (request.path.endsWith('/log')) {
      const start = Number(request.query.get('start') ?? 0)
      const rest = log.filter((line) => line.n > start)
      return { data: rest.length > 0 ? rest : [{ n: 1, t: 'no content' }] }
    }
    asked += 1
    log.push({ n: log.length + 1, t: `transferred ${asked}.0 GiB of 10.0 GiB (${asked * 10}.00%)` })
    return answers[Math.min(asked, answers.length) - 1] ?? 'hang'
  })
  const clock = manualClock()
  const client = proxmoxClient({
    hosts: [{ host: '127.0.0.1', port: fake.port }],
    pin: fake.pin,
    auth: { kind: 'token', tokenId: 'vps@pve!app', secret: 'uuid' },
    clock,
  })
  cleanups.push(fake.close, client.close)
  return { fake, clock, client, log }
}

describe('waiting for a task', () => {
  it('polls the node named in the UPID, ever less often, until the task has ended', async () => {
    const { fake, clock, client } = await taskThat(...Array(33).fill(running), ended('OK'))
    expect(await client.tasks.wait(UPID)).toEqual({ upid: UPID, warnings: 0 })
    expect(clock.slept).toEqual(clock.slept.toSorted((a, b) => a - b))
    expect([clock.slept[0], clock.slept[10], clock.slept[20]]).toEqual([100, 500, 1000])
    expect(clock.slept.slice(-2)).toEqual([5000, 5000])
    const paths = new Set(fake.requests.map((request) => decodeURIComponent(request.path)))
    expect(paths).toEqual(new Set([`/nodes/pve2/tasks/${UPID}/status`]))
  })

  it('reports progress from the log, each line once', async () => {
    const { client } = await taskThat(running, running, ended('OK'))
    const seen: TaskProgress[] = []
    await client.tasks.wait(UPID, { onProgress: (progress) => seen.push(progress) })
    expect(seen.map((progress) => progress.percent)).toEqual([10, 20, 30])
  })

  it('treats warnings as success', async () => {
    const { client } = await taskThat(ended('WARNINGS: 2'))
    expect(await client.tasks.wait(UPID)).toEqual({ upid: UPID, warnings: 2 })
  })

  it("gives the reason for a failed task in PVE's words and in ours", async () => {
    const exitStatus = "clone failed: cfs-lock 'storage-ceph' error: got lock request timeout"
    const { client } = await taskThat(running, ended(exitStatus))
    expect(await failureOf(client.tasks.wait(UPID))).toEqual({
      kind: 'task-failed',
      upid: UPID,
      exitStatus,
      because: { kind: 'busy-storage', storage: 'ceph' },
    })
  })

  it('adds the end of the log to an exit status that says nothing', async () => {
    const exitStatus = 'start failed: QEMU exited with code 1'
    const { client, log } = await taskThat(ended(exitStatus))
    log.push({ n: 1, t: 'generating cloud-init ISO' })
    log.push({ n: 2, t: "no physical interface on bridge 'vmbr0'" })
    log.push({ n: 3, t: `TASK ERROR: ${exitStatus}` })
    expect(await failureOf(client.tasks.wait(UPID))).toMatchObject({
      kind: 'task-failed',
      exitStatus,
      lastWords: expect.stringMatching(/^[^/]*no physical interface on bridge 'vmbr0' \/ /),
    })
  })

  it('polls again while the node cannot be reached', async () => {
    const lost: FakeAnswer = { status: 595, reason: 'No route to host' }
    const { client } = await taskThat(
      running,
      lost,
      'reset',
      'reset',
      { raw: '<html>' },
      ended('OK'),
    )
    expect(await client.tasks.wait(UPID)).toEqual({ upid: UPID, warnings: 0 })
  })

  it.each<[string, FakeAnswer, object]>([
    ['the worker died', ended('unexpected status'), { hasEnded: true }],
    ['there is no exit status', ended(''), { hasEnded: true }],
    ['PVE has forgotten it', { status: 400, reason: 'no such task' }, {}],
    ['it does not end in time', running, {}],
  ])('has an unknown outcome when %s', async (_, answer, known) => {
    const { client } = await taskThat(answer)
    const failure = await failureOf(client.tasks.wait(UPID, { timeoutMs: 60_000 }))
    expect(failure).toEqual({ kind: 'unknown-outcome', upid: UPID, ...known })
  })

  it('fails at once on a refusal', async () => {
    const { client, fake } = await taskThat({ status: 403, reason: 'Permission check failed' })
    expect(await failureOf(client.tasks.wait(UPID))).toMatchObject({ kind: 'forbidden' })
    expect(fake.requests).toHaveLength(1)
  })

  it('ends when aborted, and when the client closes', async () => {
    const { client } = await taskThat(running)
    const controller = new AbortController()
    const aborted = failureOf(client.tasks.wait(UPID, { signal: controller.signal }))
    controller.abort()
    expect(await aborted).toEqual({ kind: 'unreachable', reason: 'aborted' })
    const closed = failureOf(client.tasks.wait(UPID))
    await client.close()
    expect(await closed).toEqual({ kind: 'unreachable', reason: 'closed' })
  })

  it('refuses text that is not a UPID', async () => {
    const { client, fake } = await taskThat(running)
    expect(await failureOf(client.tasks.wait('OK'))).toMatchObject({ kind: 'invalid' })
    expect(fake.requests).toEqual([])
  })
})

it('reads UPIDs', () => {
  expect(parseUpid(UPID)).toMatchObject({
    node: 'pve2',
    type: 'qmclone',
    id: '9000',
    user: 'vps@pve!app',
  })
  expect(parseUpid(UPID.replace('9000', ''))).toMatchObject({ id: '' })
  expect(parseUpid(UPID)?.startedAt.toISOString()).toBe('2020-11-25T13:39:11.000Z')
  for (const wrong of ['OK', UPID.slice(0, -1), `${UPID}x`, ''])
    expect(parseUpid(wrong)).toBeUndefined()
})

it.each([
  ['transferred 1.2 GiB of 10.0 GiB (12.00%) in 3s', 12],
  ['transferred: 1 bytes remaining: 2 bytes total: 3 bytes progression: 1.17 %', 1.17],
  ['create full clone of drive scsi0 (local-lvm:vm-100-disk-0)', undefined],
])('finds the percentage in: %s', (line, percent) => {
  expect(percentIn(line)).toBe(percent)
})

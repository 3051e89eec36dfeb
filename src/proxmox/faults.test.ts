import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FAULT_KINDS, type Fault, type FaultKind } from '#pve-sim/faults/fault-board.ts'
import { type Sim, startSim } from '#pve-sim/sim.ts'
import { type ProxmoxClient, proxmoxClient } from './client.ts'
import { everyCall, type NamedCall, type Scene } from './testing/every-call.ts'
import { failureOf } from './testing/failure-of.ts'
import { manualClock } from './testing/manual-clock.ts'
import { type FailureKind, ProxmoxError } from './wire/errors.ts'

const soon = { timeout: 20_000, interval: 10 }

type Outcome = FailureKind | 'ok'

/** PVE's plain refusals: calls that took effect earlier change what later ones meet. */
const REFUSALS: Outcome[] = ['refused', 'not-found', 'locked', 'agent-unavailable']

/** How each fault may appear to a caller; anything else would mislead. */
const EXPECTED: Record<FaultKind, { read: Outcome[]; write: Outcome[] }> = {
  refuse: { read: ['unreachable'], write: ['unreachable'] },
  'black-hole': { read: ['unreachable'], write: ['unknown-outcome'] },
  latency: { read: ['ok'], write: ['ok', ...REFUSALS] },
  reset: { read: ['unreachable'], write: ['unknown-outcome'] },
  // The body of a refusal is cut off, its reason phrase is not.
  truncate: { read: ['bad-answer'], write: ['unknown-outcome', ...REFUSALS] },
  'html-500': { read: ['bad-answer'], write: ['unknown-outcome'] },
  '502': { read: ['unreachable'], write: ['unknown-outcome'] },
  '595': { read: ['unreachable'], write: ['unknown-outcome'] },
  '596': { read: ['unreachable'], write: ['unknown-outcome'] },
  'ticket-expired': { read: ['unauthorised'], write: ['unauthorised'] },
  '403': { read: ['forbidden'], write: ['forbidden'] },
  '429': { read: ['unreachable'], write: ['unreachable'] },
  'task-error': { read: ['ok'], write: ['ok', ...REFUSALS] },
  'worker-dies': { read: ['ok'], write: ['ok', ...REFUSALS] },
  'task-lost': { read: ['ok'], write: ['ok', ...REFUSALS] },
  // The template is on the node that is up; a console is not forwarded, the entry node refuses it.
  'node-offline': { read: ['ok', 'unreachable'], write: ['unknown-outcome', 'ok', 'refused'] },
  'no-quorum': { read: ['ok'], write: ['no-quorum', 'ok', ...REFUSALS] },
  'certificate-changed': { read: ['tls'], write: ['tls'] },
}

/** Some reads consist of others and end differently. */
const ALSO: Record<string, Outcome[]> = {
  // Polls until time is up.
  'tasks.wait': ['unknown-outcome'],
  // Reads the version first, or has it cached.
  'qemu.stop': ['unreachable', 'bad-answer'],
  'qemu.setConfig': ['unreachable', 'bad-answer'],
  // An unused port closes by itself, so it makes no difference whether it was opened.
  'vnc.open': ['unreachable'],
  'vnc.ticket': ['unreachable'],
  // The VM has no snapshot yet, and no configuration of one.
  'qemu.snapshotConfig': ['refused'],
  // Nor an archive.
  'backups.config': ['refused'],
  // The guest may still be starting.
  'qemu.guestInterfaces': ['agent-unavailable'],
}

/** Short only where a test waits for the deadline itself; a busy machine needs the longer one. */
const deadlineFor = (kind: FaultKind) => (kind === 'black-hole' ? 300 : 5000)

const clientOf = (sim: Sim, ms: number, auth: 'password' | 'token' = 'token') =>
  proxmoxClient({
    hosts: [{ host: sim.host, port: sim.port }],
    pin: { fingerprint: sim.fingerprint, pem: sim.certPem },
    auth:
      auth === 'token'
        ? { kind: 'token', tokenId: sim.apiToken.id, secret: sim.apiToken.secret }
        : { kind: 'password', username: sim.username, password: sim.password },
    timeouts: { requestMs: ms, slowMs: ms, connectMs: ms, loginMs: ms },
    clock: manualClock(),
  })

async function outcomeOf(promise: Promise<unknown>): Promise<Outcome> {
  try {
    await promise
    return 'ok'
  } catch (error) {
    if (error instanceof ProxmoxError) return error.kind
    throw error
  }
}

async function sceneIn(sim: Sim, client: ProxmoxClient): Promise<Scene> {
  // Not on the entry node; the template is.
  const vm = { node: 'pve2', vmid: 108 }
  const upid = await client.qemu.reset(vm)
  await client.tasks.wait(upid)
  const ipset = 'ipfilter-net0'
  await client.firewall.addSet(vm, ipset)
  await client.firewall.addRule(vm, { type: 'in', action: 'ACCEPT', enable: true })
  const newid = await client.cluster.nextId()
  sim.requests.length = 0
  const template = { node: 'pve1', vmid: 9000 }
  return {
    vm,
    template,
    newid,
    upid,
    storage: 'ceph-vm',
    isoStorage: 'local',
    pool: 'vps',
    disk: 'scsi0',
    ipset,
  }
}

/** Faults in the answer itself, which differs by version; the others are in the transport. */
const IN_ANSWERS: readonly FaultKind[] = [
  'truncate',
  '596',
  'ticket-expired',
  '403',
  'task-error',
  'task-lost',
  'no-quorum',
]
const CASES = (['9.1', '8.4', '7.4'] as const).flatMap((version) =>
  (version === '9.1' ? FAULT_KINDS : IN_ANSWERS).map((kind) => ({ version, kind })),
)

describe.each(CASES)('when a cluster of $version has the fault $kind', ({ version, kind }) => {
  let sim: Sim
  let client: ProxmoxClient
  let scene: Scene
  const fault: Fault = { kind, ms: 20, node: 'pve2' }

  beforeAll(async () => {
    sim = await startSim({ version, taskMs: 5, authDelayMs: 0, lagMs: 0 })
    client = clientOf(sim, deadlineFor(kind))
    scene = await sceneIn(sim, client)
    sim.faults.add(fault)
  })
  afterAll(async () => {
    sim.faults.clear()
    await client.close()
    await sim.close()
  })

  it.each(everyCall.map((call, index) => [`${index} ${call.name}`, call] as const))(
    'call %s ends with a typed error, and a write is sent at most once',
    async (_, call: NamedCall) => {
      const before = sim.requests.length
      const outcome = await outcomeOf(call.run(client, scene))
      expect([...EXPECTED[kind][call.kind], ...(ALSO[call.name] ?? [])]).toContain(outcome)
      const writes = sim.requests.slice(before).filter((request) => request.method !== 'GET')
      expect(writes.length).toBeLessThanOrEqual(1)
    },
  )
})

describe('a clone whose answer is lost', () => {
  const losses: Fault[] = [
    { kind: 'reset', count: 1, path: '/clone$' },
    { kind: 'truncate', count: 1, path: '/clone$' },
    { kind: '596', count: 1, path: '/clone$' },
    { kind: '595', count: 1, path: '/clone$' },
    { kind: '502', count: 1, path: '/clone$', effect: true },
    { kind: 'black-hole', count: 1, path: '/clone$' },
    { kind: 'html-500', count: 1, path: '/clone$' },
  ]

  it.each(losses)('by $kind makes exactly one VM', async (fault) => {
    const sim = await startSim({ taskMs: 5, authDelayMs: 0, lagMs: 0 })
    const client = clientOf(sim, deadlineFor(fault.kind))
    const { template, newid } = await sceneIn(sim, client)
    const marker = 'hushbox:order-7'
    const order = { newid, description: marker, full: true }
    const vm = { node: template.node, vmid: newid }
    sim.faults.add(fault)

    expect(await failureOf(client.qemu.clone(template, order))).toEqual({
      kind: 'unknown-outcome',
      upid: undefined,
    })
    // Looks: the node's tasks say whether it still runs, the VM's config whether it is ours.
    const isRunning = async () => {
      const tasks = await client.tasks.list(template.node, { vmid: template.vmid, type: 'qmclone' })
      return tasks.some((task) => task.endtime === undefined)
    }
    await expect.poll(isRunning, soon).toBe(false)
    if (!(await client.find.byMarker(marker, vm))) {
      const upid = await client.qemu.clone(template, order)
      await expect.poll(() => client.tasks.status(upid), soon).toMatchObject({ exitstatus: 'OK' })
    }
    expect(await client.find.byMarker(marker, vm)).toMatchObject(vm)
    expect(await failureOf(client.qemu.clone(template, order))).toEqual({ kind: 'vmid-taken' })
    const marked = [...sim.state.vms.values()].filter(
      (found) => found.config.description === marker,
    )
    expect(marked).toHaveLength(1)
    await client.close()
    await sim.close()
  })
})

describe('a ticket that expires under way', () => {
  it('is replaced once, without the caller noticing', async () => {
    const sim = await startSim({ taskMs: 5, authDelayMs: 0, lagMs: 0 })
    const client = clientOf(sim, 5000, 'password')
    const { vm } = await sceneIn(sim, client)
    sim.faults.add({ kind: 'ticket-expired', count: 1, path: '/status/' })
    const upid = await client.qemu.reset(vm)
    await expect.poll(() => client.tasks.status(upid), soon).toMatchObject({ exitstatus: 'OK' })
    expect(sim.requests.filter((request) => request.path.endsWith('/reset'))).toHaveLength(2)
    expect(sim.requests.filter((request) => request.path.endsWith('/ticket'))).toHaveLength(1)
    await client.close()
    await sim.close()
  })
})

describe('a task that fails or vanishes', () => {
  it.each<[Fault, FailureKind]>([
    [{ kind: 'task-error', message: 'VM is locked (backup)' }, 'task-failed'],
    [{ kind: 'task-error' }, 'unknown-outcome'],
    [{ kind: 'task-lost' }, 'unknown-outcome'],
  ])('is reported by the wait: %j', async (fault, kind) => {
    const sim = await startSim({ taskMs: 5, authDelayMs: 0, lagMs: 0 })
    const client = clientOf(sim, 5000)
    const { vm } = await sceneIn(sim, client)
    sim.faults.add(fault)
    const upid = await client.qemu.reset(vm)
    const failure = await failureOf(client.tasks.wait(upid, { timeoutMs: 600_000 }))
    expect(failure).toMatchObject({ kind, upid })
    await client.close()
    await sim.close()
  })
})

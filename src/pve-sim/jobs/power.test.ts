import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, harness } from '../testing/harness.ts'

let pve: Harness
beforeAll(async () => {
  pve = await harness()
})
afterAll(() => pve.close())

const vmPath = (vmid: number, node = 'pve1') => `/nodes/${node}/qemu/${vmid}`
const run = (vmid: number, action: string, form: Record<string, string> = {}, node = 'pve1') =>
  pve.run('POST', `${vmPath(vmid, node)}/status/${action}`, form)
const refused = async (vmid: number, action: string, node = 'pve1') => {
  const reply = await pve.call('POST', `${vmPath(vmid, node)}/status/${action}`, {})
  return `${reply.status} ${reply.reason}`
}
const status = async (vmid: number, node = 'pve1') =>
  (await pve.call('GET', `${vmPath(vmid, node)}/status/current`)).data

describe('power', () => {
  it('starts, and fails the task of a second start', async () => {
    expect(await run(103, 'start')).toBe('OK')
    expect(await status(103)).toMatchObject({
      status: 'running',
      qmpstatus: 'running',
      pid: expect.any(Number),
    })
    expect(await run(103, 'start')).toBe('VM 103 already running')
  })

  it('pauses and resumes', async () => {
    const { data: upid } = await pve.call('POST', `${vmPath(103)}/status/suspend`, {})
    expect(upid).toMatch(/:qmpause:103:/)
    await pve.ended(upid)
    expect(await status(103)).toMatchObject({ status: 'running', qmpstatus: 'paused' })
    expect(await refused(103, 'shutdown')).toBe('500 VM is paused - cannot shutdown')
    expect(await refused(103, 'reboot')).toBe('500 VM is paused - cannot shutdown')
    expect(await run(103, 'resume')).toBe('OK')
    expect(await status(103)).toMatchObject({ qmpstatus: 'running' })
  })

  it('hibernates, and start resumes', async () => {
    expect(await run(103, 'suspend', { todisk: '1' })).toBe('OK')
    expect(await status(103)).toMatchObject({ status: 'stopped', lock: 'suspended' })
    expect(await run(103, 'start')).toBe('OK')
    expect((await status(103)).lock).toBeUndefined()
  })

  it('reboots: the task ends when the guest is down, and another task starts it', async () => {
    const before = (await status(103)).pid
    expect(await run(103, 'reboot')).toBe('OK')
    await pve.until(async () => (await status(103)).status === 'running')
    expect((await status(103)).pid).not.toBe(before)
    const { data } = await pve.call('GET', '/nodes/pve1/tasks?vmid=103&source=all')
    expect(data[0]).toMatchObject({ type: 'qmstart', user: 'root@pam' })
  })

  it('stops, and fails further actions at once', async () => {
    expect(await run(103, 'reset')).toBe('OK')
    expect(await run(103, 'stop')).toBe('OK')
    expect(await status(103)).toMatchObject({ status: 'stopped', qmpstatus: 'stopped', uptime: 0 })
    expect(await run(103, 'stop')).toBe('OK')
    for (const action of ['reset', 'reboot', 'suspend', 'resume']) {
      expect(await refused(103, action)).toBe('500 VM 103 not running')
    }
  })

  it('does nothing to a locked VM', async () => {
    expect(await run(106, 'stop', {}, 'pve2')).toBe('VM is locked (backup)')
  })
})

describe('a guest that ignores the power button', () => {
  const vm = () => pve.sim.state.vms.get(109)

  it('makes shutdown fail after its timeout, or die when forced', async () => {
    expect(await run(109, 'shutdown', { timeout: '3' }, 'pve2')).toBe(
      'VM quit/powerdown failed - got timeout',
    )
    expect(vm()?.qmp).toBe('running')
    expect(await run(109, 'shutdown', { timeout: '3', forceStop: '1' }, 'pve2')).toBe('OK')
    expect(vm()?.qmp).toBe('stopped')
  })

  it('blocks a stop meanwhile, unless the stop overrules it', async () => {
    await run(109, 'start', {}, 'pve2')
    const path = `${vmPath(109, 'pve2')}/status`
    const { data: waiting } = await pve.call('POST', `${path}/shutdown`, { timeout: '600' })
    expect(await run(109, 'stop', {}, 'pve2')).toBe(
      "can't lock file '/var/lock/qemu-server/lock-109.conf' - got timeout",
    )
    expect(await run(109, 'stop', { 'overrule-shutdown': '1' }, 'pve2')).toBe('OK')
    expect(await pve.ended(waiting)).toBe('received interrupt')
    expect(vm()?.qmp).toBe('stopped')
  })
})

describe('HA', () => {
  it('turns power actions into requests that are carried out later', async () => {
    const { data: upid } = await pve.call('POST', `${vmPath(110, 'pve2')}/status/start`, {})
    expect(upid).toMatch(/:hastart:110:/)
    expect(await pve.ended(upid)).toBe('OK')
    await pve.until(async () => (await status(110, 'pve2')).status === 'running')
    expect((await status(110, 'pve2')).ha).toEqual({ managed: 1, state: 'started', group: 'all' })
    const stop = await pve.call('POST', `${vmPath(110, 'pve2')}/status/shutdown`, {})
    expect(stop.data).toMatch(/:hastop:110:/)
    await pve.until(async () => (await status(110, 'pve2')).status === 'stopped')
  })
})

describe('guest agent', () => {
  const interfaces = (vmid: number, node = 'pve1') =>
    pve.call('GET', `${vmPath(vmid, node)}/agent/network-get-interfaces`)

  it('reports addresses by card', async () => {
    const { data } = await interfaces(100)
    const { net0 } = (await pve.call('GET', `${vmPath(100)}/config`)).data
    const mac = /=([0-9A-F:]{17})/.exec(net0 ?? '')?.[1]?.toLowerCase()
    const card = data.result?.find((entry) => entry['hardware-address'] === mac)
    expect(card).toMatchObject({
      name: 'eth0',
      'ip-addresses': [
        { 'ip-address': '203.0.113.10', 'ip-address-type': 'ipv4', prefix: 24 },
        { 'ip-address-type': 'ipv6', prefix: 64 },
      ],
    })
  })

  it('fails in all the ways that agents fail', async () => {
    await run(109, 'start', {}, 'pve2')
    expect((await interfaces(109, 'pve2')).reason).toBe('No QEMU guest agent configured')
    expect((await interfaces(103)).reason).toBe('VM 103 is not running')
    expect((await interfaces(104)).reason).toBe('QEMU guest agent is not running')
    const old = await interfaces(111, 'pve2')
    expect([old.status, old.data.result?.error?.class]).toEqual([200, 'CommandNotFound'])
  })

  it('is unavailable while the guest boots', async () => {
    let time = Date.now()
    const slow = await harness({ now: () => time })
    const path = `${vmPath(103)}/agent/network-get-interfaces`
    await slow.run('POST', `${vmPath(103)}/status/start`)
    expect((await slow.call('GET', path)).reason).toBe('QEMU guest agent is not running')
    time += 10_000
    expect((await slow.call('GET', path)).status).toBe(200)
    await slow.close()
  })
})

describe('tasks', () => {
  it('end with their own log, list entry and messages', async () => {
    const { data: upid } = await pve.call('POST', `${vmPath(104)}/status/resume`, {})
    await pve.ended(upid)
    const path = `/nodes/pve1/tasks/${encodeURIComponent(upid)}`
    expect((await pve.call('GET', `${path}/status`)).data).toMatchObject({
      upid,
      type: 'qmresume',
      id: '104',
      user: 'root@pam',
      tokenid: 'hushbox',
      status: 'stopped',
      exitstatus: 'OK',
    })
    expect((await pve.call('GET', `${path}/log`)).body).toEqual({
      data: [{ n: 1, t: 'TASK OK' }],
      total: 1,
    })
  })

  it('are RUNNING in the list and empty in the log at first', async () => {
    const slow = await harness({ taskMs: 60_000 })
    const { data: upid } = await slow.call('POST', `${vmPath(100)}/status/shutdown`, {})
    const active = await slow.call('GET', '/nodes/pve1/tasks?source=active')
    expect(active.data[0]).toMatchObject({ upid, status: 'RUNNING' })
    expect((await slow.call('GET', '/nodes/pve1/tasks')).data).toEqual([])
    const log = await slow.call('GET', `/nodes/pve1/tasks/${upid}/log`)
    expect(log.data).toEqual([{ n: 1, t: 'no content' }])
    await slow.close()
  })

  it('can be filtered by failure', async () => {
    const errors = await pve.call('GET', '/nodes/pve1/tasks?errors=1&limit=1')
    expect(errors.data.length).toBe(1)
    expect(errors.data[0]?.status).not.toBe('OK')
  })

  it('are unknown on other nodes', async () => {
    const wrong = await pve.call(
      'GET',
      '/nodes/pve1/tasks/UPID:pve1:00000001:00000001:60000000:qmstart:1:root@pam:/status',
    )
    expect([wrong.status, wrong.body.errors]).toEqual([400, { upid: 'no such task' }])
    const nonsense = await pve.call('GET', '/nodes/pve1/tasks/nonsense/status')
    expect(nonsense.body.errors).toEqual({ upid: 'unable to parse worker upid' })
  })
})

/**
 * The reason why QEMU exited is only in the task's log (PVE::Network, tap_plug and
 * read_bridge_mtu).
 */
describe('starting with a network card fails', () => {
  const startWith = async (net0: string) => {
    await pve.run('POST', `${vmPath(103)}/config`, { net0 })
    const { data: upid } = await pve.call('POST', `${vmPath(103)}/status/start`, {})
    const end = await pve.ended(upid)
    const { data: lines } = await pve.call('GET', `/nodes/pve1/tasks/${upid}/log`)
    return { end, log: lines.map((line) => line.t) }
  }
  const ended = 'start failed: QEMU exited with code 1'

  it('on a bridge that does not exist', async () => {
    const { end, log } = await startWith('virtio,bridge=vmbr9')
    expect(end).toBe(ended)
    expect(log).toContain("bridge 'vmbr9' does not exist")
    expect(await status(103)).toMatchObject({ status: 'stopped' })
  })

  it('with a VLAN on a plain bridge without a port, but not with a port', async () => {
    const node = pve.sim.state.nodes.get('pve1')
    if (!node) throw new Error('no node pve1')
    const plain = { name: 'vmbr2', isVlanAware: false }
    node.bridges = [{ ...plain, ports: '' }]
    const { end, log } = await startWith('virtio,bridge=vmbr2,tag=5')
    expect(end).toBe(ended)
    expect(log).toContain("no physical interface on bridge 'vmbr2'")
    node.bridges = [{ ...plain, ports: 'eno1' }]
    expect((await startWith('virtio,bridge=vmbr2,tag=5')).end).toBe('OK')
    await run(103, 'stop')
    delete node.bridges
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, harness, sendTo } from '../testing/harness.ts'
import { openSocket, upgradeStatus } from '../testing/viewer.ts'

let pve: Harness
beforeAll(async () => {
  pve = await harness({ control: true })
})
afterEach(() => pve.sim.faults.clear())
afterAll(() => pve.close())

const version = () => pve.call('GET', '/version')
const code = async (act: Promise<unknown>) => {
  try {
    await act
    return 'none'
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error)
  }
}

describe('the wire', () => {
  it('refuses connections until cleared', async () => {
    pve.sim.faults.add({ kind: 'refuse' })
    expect(await code(version())).toBe('ECONNREFUSED')
    pve.sim.faults.clear()
    expect((await version()).status).toBe(200)
  })

  it('refuses single requests by closing the connection', async () => {
    pve.sim.faults.add({ kind: 'refuse', path: '^/version', count: 1 })
    expect(await code(version())).toBe('ECONNRESET')
    expect((await version()).status).toBe(200)
  })

  it('leaves requests unanswered', async () => {
    pve.sim.faults.add({ kind: 'black-hole', path: /version/ })
    const lost = code(version())
    expect((await pve.call('GET', '/nodes')).status).toBe(200)
    pve.sim.faults.clear()
    expect(await lost).toBe('ECONNRESET')
  })

  it('is slow where configured', async () => {
    pve.sim.faults.add({ kind: 'latency', path: /version/, ms: 500, count: 1 })
    const order: string[] = []
    const slow = version().then(() => order.push('slow'))
    await pve.call('GET', '/nodes').then(() => order.push('fast'))
    await slow
    expect(order).toEqual(['fast', 'slow'])
  })

  it('breaks in the middle of an answer, after the call took effect', async () => {
    pve.sim.faults.add({ kind: 'reset', method: 'PUT', count: 1 })
    const change = pve.call('PUT', '/nodes/pve1/qemu/103/config', { description: 'done anyway' })
    expect(await code(change)).toBe('ECONNRESET')
    expect(pve.sim.state.vms.get(103)?.config.description).toBe('done anyway')
  })

  it('truncates JSON', async () => {
    pve.sim.faults.add({ kind: 'truncate', path: /nodes$/, count: 1 })
    const reply = await pve.call('GET', '/nodes')
    expect(reply.status).toBe(200)
    expect(() => JSON.parse(reply.text)).toThrow()
  })
})

it('breaks console connections, too', async () => {
  const { data } = await pve.call('POST', '/nodes/pve1/qemu/100/vncproxy', { websocket: '1' })
  const { ticket = '', port = '' } = data
  const open = () => {
    const proxy = { ticket, port, upid: '', user: '', cert: '' }
    return openSocket(pve.sim, { node: 'pve1', vmid: 100 }, proxy, pve.admin)
  }
  pve.sim.faults.add({ kind: '596', path: /vncwebsocket/, count: 1 })
  expect(await upgradeStatus(open())).toBe(596)
  pve.sim.faults.add({ kind: 'refuse', path: /vncwebsocket/, count: 1 })
  await new Promise((resolve) => open().on('error', resolve))
  const socket = open()
  expect(await upgradeStatus(socket)).toBe(101)
  socket.terminate()
})

describe('answers', () => {
  it.each([
    ['html-500', 500, 'Internal Server Error'],
    ['502', 502, 'Bad Gateway'],
    ['595', 595, 'Connection refused'],
    ['596', 596, 'Connection timed out'],
    ['429', 429, 'Too Many Requests'],
    ['403', 403, 'Permission check failed (/, Sys.Audit)'],
    ['ticket-expired', 401, 'permission denied - invalid PVE ticket'],
  ] as const)('%s', async (kind, status, reason) => {
    pve.sim.faults.add({ kind, count: 1 })
    const reply = await version()
    expect([reply.status, reply.reason]).toEqual([status, reason])
    expect((await version()).status).toBe(200)
  })

  it('do not prevent the effect where a gateway only gave up waiting', async () => {
    const write = (description: string) =>
      pve.call('PUT', '/nodes/pve1/qemu/103/config', { description })
    pve.sim.faults.add({ kind: '596', count: 1 })
    await write('happened')
    expect(pve.sim.state.vms.get(103)?.config.description).toBe('happened')
    pve.sim.faults.add({ kind: '595', count: 1 })
    await write('did not')
    expect(pve.sim.state.vms.get(103)?.config.description).toBe('happened')
    pve.sim.faults.add({ kind: '595', count: 1, effect: true })
    await write('did')
    expect(pve.sim.state.vms.get(103)?.config.description).toBe('did')
  })

  it('fail at random, identically in every run', async () => {
    pve.sim.faults.add({ kind: '429', probability: 0.5 })
    const seen = new Set<number>()
    for (let i = 0; i < 30; i++) seen.add((await version()).status)
    expect([...seen].sort()).toEqual([200, 429])
  })
})

describe('tasks', () => {
  const clone = (newid: string) =>
    pve.call('POST', '/nodes/pve1/qemu/9004/clone', { newid, full: '1' })

  it('fail and clean up', async () => {
    pve.sim.faults.add({
      kind: 'task-error',
      path: /clone/,
      message: 'no space left on device',
      count: 1,
    })
    const { data: upid } = await clone('500')
    expect(await pve.ended(upid)).toBe('no space left on device')
    expect(pve.sim.state.vms.has(500)).toBe(false)
  })

  it('get lost while their work continues', async () => {
    pve.sim.faults.add({ kind: 'task-lost', path: /clone/, count: 1 })
    const { data: upid } = await clone('501')
    const status = await pve.call('GET', `/nodes/pve1/tasks/${upid}/status`)
    expect([status.status, status.body.errors]).toEqual([400, { upid: 'no such task' }])
    await pve.until(() => pve.sim.state.vms.get(501)?.config.name !== undefined)
  })
})

describe('the cluster', () => {
  it('loses a node', async () => {
    pve.sim.faults.add({ kind: 'node-offline', node: 'pve2' })
    expect((await pve.call('GET', '/nodes/pve2/status')).status).toBe(595)
    pve.sim.faults.clear()
    expect((await pve.call('GET', '/nodes/pve2/status')).status).toBe(200)
  })

  it('loses its quorum: reads work, writes do not', async () => {
    pve.sim.faults.add({ kind: 'no-quorum' })
    expect((await pve.call('GET', '/nodes/pve1/qemu/103/config')).status).toBe(200)
    const write = await pve.call('POST', '/nodes/pve1/qemu/103/status/start', {})
    expect([write.status, write.reason]).toEqual([500, 'cluster not ready - no quorum?'])
    const { data } = await pve.call('GET', '/cluster/status')
    expect(data[0]?.quorate).toBe(0)
  })

  it('changes its certificate under the same authority', async () => {
    const { fingerprint, caPem } = pve.sim
    pve.sim.faults.add({ kind: 'certificate-changed' })
    expect(pve.sim.fingerprint).not.toBe(fingerprint)
    expect(pve.sim.caPem).toBe(caPem)
    expect((await version()).status).toBe(200)
  })
})

it('is controlled from outside where it runs standalone', async () => {
  const { sim } = pve
  const text = JSON.stringify([{ kind: '429', path: 'version', count: 2 }])
  const added = await sendTo(sim, 'POST', '/sim/faults', { text })
  expect(added.data).toEqual([{ kind: '429', path: 'version', count: 2 }])
  expect((await version()).status).toBe(429)
  expect((await sendTo(sim, 'POST', '/sim/faults', { text: '{"kind":"nonsense"}' })).status).toBe(
    400,
  )
  await sendTo(sim, 'DELETE', '/sim/faults')
  expect((await sendTo(sim, 'GET', '/sim/faults')).data).toEqual([])
  expect((await version()).status).toBe(200)
})

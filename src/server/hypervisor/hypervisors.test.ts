import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Sim } from '#pve-sim/sim.ts'
import { type ClusterConnection, confirmCertificate } from './connect/connection.ts'
import { type Hypervisors, hypervisors } from './hypervisors.ts'
import type { InventoryView } from './inventory-cache.ts'
import { proxmoxHypervisor } from './proxmox/proxmox-hypervisor.ts'
import { connectionTo, impatient, soon, startCluster } from './testing/sim-cluster.ts'

let sim: Sim
let all: Hypervisors
const polls: [number, InventoryView][] = []
beforeEach(async () => {
  sim = await startCluster()
  polls.length = 0
  all = hypervisors({
    ...impatient,
    everyMs: 20,
    onPoll: (id, view) => polls.push([id, view]),
  })
})
afterEach(async () => {
  await all.close()
  await sim.close()
})

const listPolls = () =>
  sim.requests.filter((request) => request.path === '/cluster/resources').length

describe('connected clusters', () => {
  it('are polled with one request each', async () => {
    const { inventory } = await all.connect(7, connectionTo(sim))
    await expect.poll(() => inventory.view().health, soon).toBe('online')
    await expect.poll(() => polls.length, soon).toBeGreaterThan(2)
    expect(new Set(polls.map(([id]) => id))).toEqual(new Set([7]))
    expect(inventory.vm(104)).toMatchObject({ state: 'paused', node: 'pve1' })
    const asked = sim.requests.filter((request) => request.path !== '/cluster/resources')
    // Sent once, on connecting: the version, and where else the cluster answers.
    expect(asked.map((request) => request.path)).toEqual([
      '/cluster/status',
      '/version',
      '/access/permissions',
    ])
  })

  it('show our own actions at once, before the list has caught up', async () => {
    const slow = await startCluster({ lagMs: 60_000 })
    const { inventory, hypervisor } = await all.connect(8, connectionTo(slow))
    await expect.poll(() => inventory.vm(103)?.state, soon).toBe('stopped')
    await hypervisor.power({ vmId: 103 }, 'start')
    expect(inventory.vm(103)?.state).toBe('running')
    await all.disconnect(8)
    await slow.close()
  })

  it('fail at once while they are unreachable, and recover without help', async () => {
    const { inventory, hypervisor } = await all.connect(7, connectionTo(sim))
    await expect.poll(() => inventory.view().health, soon).toBe('online')
    sim.faults.add({ kind: 'refuse' })
    await expect.poll(() => inventory.view().failure?.code, soon).toBe('CLUSTER_UNAVAILABLE')
    expect(inventory.vm(103)).toMatchObject({ lastKnown: 'stopped' })
    const resting = {
      code: 'CLUSTER_UNAVAILABLE',
      message: expect.stringContaining('at the moment'),
    }
    await expect
      .poll(() => hypervisor.vm({ vmId: 103 }).catch((error: unknown) => error), soon)
      .toMatchObject(resting)
    sim.faults.clear()
    await expect.poll(() => inventory.view().health, soon).toBe('online')
    expect(await hypervisor.vm({ vmId: 103 })).toMatchObject({ state: 'stopped' })
  })

  it('stay quiet once disconnected, even if a poll was in progress', async () => {
    await all.connect(7, connectionTo(sim))
    await expect.poll(listPolls, soon).toBeGreaterThan(0)
    sim.faults.add({ kind: 'black-hole' })
    const before = polls.length
    await all.disconnect(7)
    expect(() => all.of(7)).toThrow('not connected')
    expect(
      polls.slice(before).filter(([, view]) => view.failure?.message.includes('closed')),
    ).toEqual([])
  })

  it('can be connected again with other credentials', async () => {
    const secret = '00000000-0000-4000-8000-000000000000'
    const username = 'viewer@pve!nothing'
    const poor = await all.connect(7, connectionTo(sim, { username, secret }))
    await expect.poll(() => poor.inventory.view().inventory?.vms, soon).toEqual([])
    const rich = await all.connect(7, connectionTo(sim))
    await expect.poll(() => rich.inventory.view().inventory?.vms.length, soon).toBe(12)
    expect(all.of(7)).toBe(rich)
  })
})

describe('adding a cluster', () => {
  const open = (connection: ClusterConnection) => proxmoxHypervisor(connection, impatient)

  it('shows the certificate first, and accepts only the confirmed one', async () => {
    const address = { host: sim.host, port: sim.port }
    const { fingerprint } = sim
    await expect(confirmCertificate(address, undefined)).rejects.toMatchObject({
      code: 'CERTIFICATE_UNTRUSTED',
      details: { fingerprint, subject: 'pve1.hushbox.example' },
    })
    const other = fingerprint.replace(/^../, fingerprint.startsWith('00') ? '11' : '00')
    await expect(confirmCertificate(address, other)).rejects.toMatchObject({
      code: 'CERTIFICATE_UNTRUSTED',
      details: { fingerprint },
    })
    const certificate = await confirmCertificate(address, fingerprint)
    const hypervisor = open({ ...connectionTo(sim), certificate })
    expect((await hypervisor.listInventory()).vms).toHaveLength(12)
    await hypervisor.close()
    expect(sim.requests.every((request) => !request.path.includes('ticket'))).toBe(true)
  })

  it('has its own message for each possible mistake', async () => {
    const good = connectionTo(sim)
    const cases: [ClusterConnection, { code: string; message: unknown }][] = [
      [
        { ...good, port: 1 },
        { code: 'CLUSTER_UNAVAILABLE', message: expect.stringMatching(/refused the connection/) },
      ],
      [
        { ...good, secret: 'wrong' },
        { code: 'CLUSTER_REFUSED', message: expect.stringMatching(/API token/) },
      ],
      [
        { ...good, username: 'root@pam', secret: 'wrong' },
        { code: 'CLUSTER_REFUSED', message: expect.stringMatching(/password/) },
      ],
      [
        { ...good, username: 'tfa@pve', secret: 'tfa-password' },
        { code: 'CLUSTER_REFUSED', message: expect.stringMatching(/second factor/) },
      ],
      [
        { ...good, certificate: undefined },
        {
          code: 'CERTIFICATE_UNTRUSTED',
          message: expect.stringMatching(/confirm its fingerprint/),
        },
      ],
    ]
    for (const [connection, expected] of cases) {
      const hypervisor = open(connection)
      await expect(hypervisor.listInventory()).rejects.toMatchObject(expected)
      await hypervisor.close()
    }
    expect(() => open({ ...good, host: 'not:a:host' })).toThrow(/No host of this name/)
    await sim.rotateCertificate()
    const hypervisor = open(good)
    await expect(hypervisor.listInventory()).rejects.toMatchObject({
      code: 'CERTIFICATE_UNTRUSTED',
      message: expect.stringMatching(/another certificate/),
    })
    await hypervisor.close()
  })
})

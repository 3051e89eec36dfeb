import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { connectionOf } from '../../inventory/clusters/cluster-store.ts'
import { testApp } from '../../testing/test-app.ts'
import { addSimCluster, guideAccount, startTestSim } from '../../testing/with-sim.ts'
import { impatient } from '../testing/sim-cluster.ts'
import { proxmoxHypervisor } from './proxmox-hypervisor.ts'

/** The cluster listens on its second node; its first is a TCP proxy that the test can close. */
async function twoDoors() {
  const sim = await startTestSim({ host: '127.0.0.2' })
  const open = new Set<Socket>()
  const door = createServer((socket) => {
    const behind = connect(sim.port, '127.0.0.2')
    for (const end of [socket, behind]) {
      open.add(end)
      end.on('error', () => end.destroy())
    }
    socket.pipe(behind).pipe(socket)
  })
  door.listen(sim.port, '127.0.0.1')
  await once(door, 'listening')
  const shut = async () => {
    for (const socket of open) socket.destroy()
    door.close()
    await once(door, 'close')
  }
  return { sim, shut }
}

describe('a cluster whose entry node fails', async () => {
  const { sim, shut } = await twoDoors()
  const t = await testApp()
  const { account, settings } = guideAccount(sim)
  const entered = { ...sim, host: '127.0.0.1' }
  const cluster = await addSimCluster(t.deps, entered, { account, settings })
  const admin = t.as(await t.make.admin())
  await admin.call(api.sync.proxmox)

  test('is reached through its other nodes, by a certificate the first one vouched for', async () => {
    const [row] = await t.db.select().from(clusters).where(eq(clusters.id, cluster.id))
    expect(row?.otherHosts).toMatchObject([
      { host: '127.0.0.1', node: 'pve1' },
      { host: '127.0.0.2', node: 'pve2', pin: { fingerprint: sim.fingerprint } },
    ])
    await shut()
    const { inventory, hypervisor } = t.deps.hypervisors.of(cluster.id)
    await inventory.refresh()
    expect(inventory.view()).toMatchObject({ failure: undefined, health: 'online' })
    expect(await hypervisor.isGone(123_456)).toBe(true)
  })

  test('is still found after a restart, if the entry node is unreachable from the start', async () => {
    const [row] = await t.db.select().from(clusters).where(eq(clusters.id, cluster.id))
    if (!row) throw new Error('the cluster is gone')
    const fresh = proxmoxHypervisor(connectionOf(row, t.deps.keyring), impatient)
    expect((await fresh.listInventory()).nodes.length).toBeGreaterThan(1)
    await fresh.close()
    await sim.close()
  })
})

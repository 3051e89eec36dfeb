import type { Page } from '@playwright/test'
import { type Sim, startSim } from '#pve-sim/sim.ts'
import { clusterBody } from '../../src/server/testing/cluster-body.ts'
import { test as base } from './fixtures.ts'

export const SECOND = 'Second'

type SecondFixtures = {
  /** Controlled by the test: 2 nodes, templates vm-100 and vm-101, VMs vm-102 to vm-109. */
  sim: Sim
  /** The same, connected; removed again, because the other tests expect only the demo cluster. */
  second: { id: number }
}

export const test = base.extend<SecondFixtures>({
  sim: async ({}, use) => {
    const sim = await startSim({ seed: 7, nodes: 2, vms: 10, authDelayMs: 0, lagMs: 0, taskMs: 20 })
    await use(sim)
    await sim.close()
  },
  second: async ({ page, sim, signInAsAdmin }, use) => {
    await signInAsAdmin()
    const reply = await page.request.post('/api/clusters', {
      data: clusterBody(sim, { name: SECOND }),
    })
    if (!reply.ok()) throw new Error(`no second cluster: ${await reply.text()}`)
    await use((await reply.json()) as { id: number })
    sim.faults.clear()
    await removeSecond(page)
  },
})

/** For files in which every test needs the second cluster. */
export const connected = test.extend<{ hasSecond: boolean }>({
  hasSecond: [async ({ second }, use) => use(second.id > 0), { auto: true }],
})

export async function removeSecond(page: Page): Promise<void> {
  for (const { id, name } of await clustersOf(page)) {
    if (name !== SECOND) continue
    const reply = await page.request.delete(`/api/clusters/${id}`)
    if (!reply.ok()) throw new Error(`the second cluster stays: ${await reply.text()}`)
  }
}

export async function clustersOf(page: Page): Promise<{ id: number; name: string }[]> {
  const reply = await page.request.get('/api/clusters')
  return (await reply.json()) as { id: number; name: string }[]
}

/** A VM of the simulator in this state, by the name that the pages show. */
export function vmIn(sim: Sim, state: 'running' | 'stopped'): { vmId: number; name: string } {
  const found = [...sim.state.vms.values()].find(
    ({ qmp, config }) => qmp === state && config.template !== '1',
  )
  if (!found) throw new Error(`the simulator has no ${state} VM`)
  return { vmId: found.vmid, name: `vm-${found.vmid}` }
}

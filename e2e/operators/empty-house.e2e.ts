import { startSim } from '#pve-sim/sim.ts'
import { inDatabase } from '../../src/server/testing/prepare.ts'
import { removeFolder, startProcess } from '../../src/server/testing/server-process.ts'
import { addSimCluster } from '../../src/server/testing/with-sim.ts'
import { admin, createPeople, enter } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'
import { recordTexts } from '../pictures/seen-texts.ts'

// The first day of a provider: no cluster, nothing to sell, no clients.

const EMPTY = [
  ['/admin-dashboard', 'No clients with active instances found'],
  ['/tokens', 'No tokens created yet. Create your first token to get started.'],
  ['/nodes', 'No cluster nodes found. Connect to a Proxmox cluster to see nodes.'],
  ['/cancelled-instances', 'No Cancelled Instances'],
] as const

test('every list says that it is empty, and a cluster without machines says so', async ({
  browser,
}) => {
  test.setTimeout(120_000)
  const first = await startProcess({ DEMO: '0' })
  const sim = await startSim({ seed: 3, nodes: 1, vms: 0, authDelayMs: 0 })
  let server = first
  const visit = async () => {
    const context = await browser.newContext({ baseURL: server.url })
    await recordTexts(context)
    const page = await context.newPage()
    await enter(page, admin)
    return page
  }
  try {
    let page = await visit()
    for (const [path, words] of EMPTY) {
      await page.goto(path)
      await expect(page.getByText(words)).toBeVisible()
    }
    await page.context().close()
    await server.stop()
    // The form refuses such an address: no real cluster is on the machine itself.
    await inDatabase({ DEMO: '0' }, first.dataDir, ({ deps }) => addSimCluster(deps, sim))
    server = await startProcess({ DEMO: '0' }, first.dataDir)
    page = await visit()
    await page.goto('/proxmox-manager')
    await expect(page.getByText('No instances available')).toBeVisible()

    const people = await createPeople(server.url)
    await enter(page, await people.anonymous())
    await page.goto('/create-instance')
    await expect(page.getByText('No Instances Available')).toBeVisible()
    await page.context().close()
  } finally {
    await sim.close()
    await server.stop()
    removeFolder(first.dataDir)
  }
})

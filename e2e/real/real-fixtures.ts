import type { Page } from '@playwright/test'
import { proxmoxClient } from '../../src/proxmox/client.ts'
import { inspectCertificate } from '../../src/proxmox/transport/tls.ts'
import { removeFolder, startProcess } from '../../src/server/testing/server-process.ts'
import { openConnectDialog, tryConnection } from '../acts/connecting.ts'
import { expectToast } from '../acts/looking.ts'
import type { People } from '../acts/people.ts'
import { test as base, expect } from '../house/fixtures.ts'
import { destroy, type Pve } from './real-pve.ts'
import { enterPool } from './real-shop.ts'

// The product with a real Proxmox VE cluster. src/proxmox/README.md lists the variables.

const { PVE_URL, PVE_TOKEN_ID = '', PVE_TOKEN_SECRET = '', PVE_FINGERPRINT } = process.env
const { PVE_TEMPLATE, PVE_NETWORK = '' } = process.env

const CLUSTER = 'Real'
/** In the names of everything that this run makes. */
export const RUN = Date.now().toString(36)
/** Guests may run without hardware virtualisation. */
export const PATIENT = { timeout: 300_000 }

/** Why the tests are skipped; undefined where they run. */
export const noCluster = () =>
  PVE_URL && PVE_TEMPLATE ? undefined : 'PVE_URL and PVE_TEMPLATE name no cluster to sell on'

type Listed = { name: string; vmId: number }
const listed = async (people: People) => (await people.ask('/api/instances')) as Listed[]

export async function vmIdOf(people: People, server: string): Promise<number> {
  const found = (await listed(people)).find(({ name }) => name === server)
  if (!found) throw new Error(`no instance is called ${server}`)
  return found.vmId
}

/** Every file with such tests has a product of its own, in which nothing is connected yet. */
export const realTest = () =>
  base.extend<object, { pve: Pve }>({
    server: [
      async ({}, use) => {
        const server = await startProcess({ DEMO: '0', GRACE_DAYS: '7' })
        await use(server)
        await server.stop()
        removeFolder(server.dataDir)
      },
      { scope: 'worker', timeout: 60_000 },
    ],
    /** The cluster itself, without the product: the pages are compared with its answers. */
    pve: [
      async ({ people, playwright }, use) => {
        const { hostname: host, port } = new URL(PVE_URL ?? '')
        const address = { host, port: Number(port || 8006) }
        const client = proxmoxClient({
          hosts: [address],
          pin: await inspectCertificate(address.host, address.port),
          auth: { kind: 'token', tokenId: PVE_TOKEN_ID, secret: PVE_TOKEN_SECRET },
        })
        const raw = await playwright.request.newContext({
          baseURL: PVE_URL ?? '',
          ignoreHTTPSErrors: true,
          extraHTTPHeaders: { authorization: `PVEAPIToken=${PVE_TOKEN_ID}=${PVE_TOKEN_SECRET}` },
        })
        await use({ client, raw, address })
        // A failed run leaves nothing behind either.
        for (const { name, vmId } of await listed(people))
          if (name.includes(RUN)) await destroy(client, vmId)
        await raw.dispose()
        await client.close()
      },
      { scope: 'worker', timeout: 120_000 },
    ],
  })

/** By the pages of an operator who is signed in; ends with a network to sell in. */
export async function connectCluster(
  page: Page,
  { address }: Pve,
  keep: (name: string) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const dialog = await openConnectDialog(page)
  const user: [string, string] = [PVE_TOKEN_ID, PVE_TOKEN_SECRET]
  await tryConnection(dialog, { name: CLUSTER, ...address, user })
  await expect(dialog).toContainText('No password has been sent yet.')
  const shown = (await dialog.locator('code').last().innerText()).replaceAll(/[^0-9A-F]/g, '')
  if (PVE_FINGERPRINT) expect(shown).toBe(PVE_FINGERPRINT.replaceAll(':', ''))
  await dialog.getByRole('button', { name: 'It matches, trust it' }).click()
  await expect(dialog).toContainText('may do everything that is needed', PATIENT)
  await keep('report')
  await dialog.getByRole('button', { name: 'Add Cluster' }).click()
  await expectToast(page, 'Cluster connection created and synced successfully', '', PATIENT)

  await enterPool(page, CLUSTER, PVE_NETWORK)
  await expectToast(page, 'Pool created successfully', '', PATIENT)
  await page.goto('/clusters')
  await page.getByRole('button', { name: `Sync ${CLUSTER}` }).click()
  await expectToast(page, 'Nodes synced successfully', '', PATIENT)
}

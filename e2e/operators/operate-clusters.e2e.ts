import type { Locator, Page } from '@playwright/test'
import { startSim } from '#pve-sim/sim.ts'
import { ZEROS } from '../../src/server/testing/cluster-body.ts'
import { freePort } from '../../src/server/testing/free-port.ts'
import { openConnectDialog, tryConnection } from '../acts/connecting.ts'
import { expectToast } from '../acts/looking.ts'
import { expect } from '../house/fixtures.ts'
import { clustersOf, removeSecond, SECOND, test } from '../house/second-cluster.ts'

type Address = { host: string; port: number }

const fill = (dialog: Locator, { host, port }: Address, user: [string, string]) =>
  tryConnection(dialog, { name: SECOND, host, port, user })

const rowOfSecond = (page: Page) =>
  page.getByRole('table', { name: 'Connected Clusters' }).getByRole('row', { name: SECOND })

test('a cluster is added by hand, synced and deleted', async ({ page, sim, signInAsAdmin }) => {
  await signInAsAdmin()
  const dialog = await openConnectDialog(page)
  await expect(dialog.getByLabel('Port', { exact: true })).toHaveValue('8006')
  await fill(dialog, sim, ['root@pam', sim.password])
  await expect(dialog).toContainText('No password has been sent yet.')
  for (const pair of sim.fingerprint.split(':').slice(0, 4))
    await expect(dialog).toContainText(pair)
  expect(sim.requests).toEqual([])
  await dialog.getByRole('button', { name: 'It matches, trust it' }).click()
  await expect(dialog).toContainText('may do everything that is needed')
  await dialog.getByRole('button', { name: 'Add Cluster' }).click()
  await expectToast(page, 'Cluster connection created and synced successfully')
  await expect(page.getByText('Connected Clusters (2)')).toBeVisible()

  await page.getByRole('button', { name: `Sync ${SECOND}` }).click()
  await expectToast(page, 'Nodes synced successfully')

  await page.getByRole('button', { name: `Delete ${SECOND}` }).click()
  const confirm = page.getByRole('alertdialog')
  await expect(confirm.getByRole('button', { name: 'Delete' })).toBeDisabled()
  await confirm.getByLabel(`Type ${SECOND} to confirm`).fill(SECOND)
  await confirm.getByRole('button', { name: 'Delete' }).click()
  await expectToast(page, 'Cluster deleted successfully')
  await expect(page.getByText('Connected Clusters (1)')).toBeVisible()
})

test('each reason not to connect has its own words, and nothing is stored', async ({
  page,
  signInAsAdmin,
}) => {
  const sim = await startSim({ authDelayMs: 0 })
  try {
    await signInAsAdmin()
    const dialog = await openConnectDialog(page)
    const expectRefusal = async (words: RegExp) => {
      await expect(dialog.getByRole('alert')).toContainText(words)
      expect(await clustersOf(page)).toHaveLength(1)
    }
    await fill(dialog, { ...sim, host: 'no-such-host.invalid' }, ['root@pam', 'x'])
    await expectRefusal(/No host of this name can be found/)
    await fill(dialog, { ...sim, port: await freePort() }, ['root@pam', 'x'])
    await expectRefusal(/refused the connection: is the port right/)
    await fill(dialog, sim, ['root@pam', 'wrong'])
    await dialog.getByRole('button', { name: 'It matches, trust it' }).click()
    await expectRefusal(/refused the user name and password/)
    await fill(dialog, sim, ['tfa@pve', 'tfa-password'])
    await expectRefusal(/second factor/)

    // Missing privileges are shown with their purpose and the commands that grant them.
    await fill(dialog, sim, ['viewer@pve!nothing', ZEROS])
    await expect(dialog).toContainText('these credentials lack permissions')
    await expect(dialog).toContainText('VM.Allocate')
    await expect(dialog).toContainText('pveum acl modify')
    await dialog.getByRole('button', { name: 'Add Cluster' }).click()
    await expectToast(page, 'Error', 'The account lacks')
    expect(await clustersOf(page)).toHaveLength(1)

    await sim.rotateCertificate()
    await dialog.getByRole('button', { name: 'Back' }).click()
    await fill(dialog, sim, ['root@pam', sim.password])
    // Not the certificate that was compared before: it is shown again, and no password is sent.
    await expect(dialog).toContainText('No password has been sent yet.')
    expect(await clustersOf(page)).toHaveLength(1)
  } finally {
    await removeSecond(page)
    await sim.close()
  }
})

test('a changed certificate stops everything until it is compared again', async ({
  page,
  sim,
  second,
}) => {
  expect(second.id).toBeGreaterThan(0)
  await page.goto('/clusters')
  await sim.rotateCertificate()
  await page.getByRole('button', { name: `Sync ${SECOND}` }).click()
  await expectToast(page, 'Error', 'another certificate than the one that was confirmed')
  await page.reload()
  await expect(rowOfSecond(page)).toContainText('another certificate')

  await page.getByRole('button', { name: `Settings of ${SECOND}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Check the certificate' }).click()
  await expect(dialog).toContainText('Compare its SHA-256 fingerprint')
  for (const pair of sim.fingerprint.split(':').slice(0, 4))
    await expect(dialog).toContainText(pair)
  await dialog.getByRole('button', { name: 'It matches, trust it' }).click()
  await expectToast(page, 'Cluster updated successfully')
  await page.getByRole('button', { name: `Sync ${SECOND}` }).click()
  await expectToast(page, 'Nodes synced successfully')
  await expect(rowOfSecond(page)).toContainText('Connected')
})

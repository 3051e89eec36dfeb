import type { Locator } from '@playwright/test'
import { cardOf, wayIn } from '../acts/buying.ts'
import { enter, type People } from '../acts/people.ts'
import { expect } from '../house/fixtures.ts'
import { connectCluster, noCluster, PATIENT, RUN, realTest, vmIdOf } from './real-fixtures.ts'
import { addressesOf, configOf, isosOf, type Pve, placeOf, stateOf } from './real-pve.ts'
import { sell } from './real-shop.ts'

// A client's start-up script on a real Proxmox VE cluster: uploaded, run once, and gone. The guest
// of the template runs such scripts and has an agent, whose addresses the account may read.

const SERVER = `Seeded ${RUN}, 1 CPU, 1 GB RAM, 2 GB SSD`

/** Each script leaves an address behind that the guest agent reports. */
const ADDRESSES = ['198.51.100.7', '198.51.100.8'] as const
const scriptFor = (address: string) =>
  `#!/bin/sh\nip addr add ${address}/32 dev "$(ls /sys/class/net | grep -v lo | head -1)"\n`

/** Label and descriptors, the folder, and at least four files in sectors of their own. */
const LEAST_BYTES = 24 * 2048
const OURS = /^([\w-]+:iso\/hushbox-\d+-[\w-]{16,}\.iso),/
const OWN = /^[^,]*cloudinit/

const test = realTest()
test.skip(noCluster() !== undefined, noCluster() ?? '')
test.use({ actionTimeout: 60_000 })
test.describe.configure({ mode: 'serial', timeout: 2_400_000 })

/** A guest that is not up within a minute keeps its image until the sweep, 15 minutes later. */
const SWEPT = { timeout: 1_500_000 }

test('the operator connects a cluster that takes start-up scripts', async ({
  page,
  pve,
  signInAsAdmin,
}) => {
  await signInAsAdmin()
  await connectCluster(page, pve)
  await page.goto('/tokens')
  await sell(page, SERVER, Number(process.env.PVE_TEMPLATE))
})

test('a script runs at the first start of a bought server, and its image is gone', async ({
  page,
  pve,
  people,
}) => {
  pve.buyer = await people.anonymous()
  await enter(page, pve.buyer)
  await page.goto('/create-instance')
  await page.getByRole('article', { name: SERVER }).getByRole('button', { name: /^Buy/ }).click()
  const question = page.getByRole('alertdialog')
  await fillScript(question, ADDRESSES[0])
  await question.getByRole('button', { name: /^Buy for/ }).click()

  const image = await seenInserted(pve, people)
  await expect(wayIn(cardOf(page, SERVER))).toBeVisible(PATIENT)
  const vmid = await vmIdOf(people, SERVER)
  await expectWithdrawn(pve, vmid, image)
  await expectAddresses(pve, vmid, [ADDRESSES[0]])

  // Proxmox's own drive tells the guest the same again, but for the script.
  const vm = await placeOf(pve, vmid)
  await pve.client.tasks.wait(await pve.client.qemu.stop(vm))
  await pve.client.tasks.wait(await pve.client.qemu.start(vm))
  await expectAddresses(pve, vmid, [])
})

test('another script runs in a new system', async ({ page, pve, people }) => {
  if (pve.buyer) await enter(page, pve.buyer)
  const vmid = await vmIdOf(people, SERVER)
  await page.goto('/my-instances')
  await cardOf(page, SERVER).getByRole('link', { name: SERVER, exact: true }).click()
  await page.getByRole('button', { name: /^Reinstall / }).click()
  const dialog = page.getByRole('dialog', { name: 'Reinstall' })
  await dialog.getByRole('textbox').fill(String(vmid))
  await fillScript(dialog, ADDRESSES[1])
  await dialog.getByRole('button', { name: 'Reinstall' }).click()

  const image = await seenInserted(pve, people)
  await page.getByRole('button', { name: 'Activity', exact: true }).click()
  await expect(page.getByText('New system installed')).toBeVisible({ timeout: 600_000 })
  await expectWithdrawn(pve, vmid, image)
  await expectAddresses(pve, vmid, [ADDRESSES[1]])
})

async function fillScript(dialog: Locator, address: string): Promise<void> {
  await dialog.getByText('Start-up script or cloud-config').click()
  await dialog.getByLabel('It runs once, as root, at the first start').fill(scriptFor(address))
}

const cdOf = (config: Record<string, string>) =>
  Object.values(config).find((entry) => OURS.test(entry) || OWN.test(entry)) ?? ''

/** The running VM has our image in place of Proxmox's own drive. Returns its volume. */
async function seenInserted(pve: Pve, people: People): Promise<string> {
  let volume = ''
  await expect(async () => {
    const vmid = await vmIdOf(people, SERVER)
    const config = await configOf(pve, vmid)
    volume = OURS.exec(cdOf(config))?.[1] ?? ''
    expect(volume).not.toBe('')
    expect(Object.values(config).some((entry) => OWN.test(entry))).toBe(false)
    expect((await stateOf(pve, vmid)).status).toBe('running')
    const stored = (await isosOf(pve, vmid, volume)).find(({ volid }) => volid === volume)
    expect(stored?.size).toBeGreaterThanOrEqual(LEAST_BYTES)
  }).toPass(PATIENT)
  return volume
}

async function expectWithdrawn(pve: Pve, vmid: number, image: string): Promise<void> {
  await expect.poll(async () => cdOf(await configOf(pve, vmid)), SWEPT).toMatch(OWN)
  const { boot, ...config } = await configOf(pve, vmid)
  const slot = Object.keys(config).find((key) => OWN.test(config[key] ?? '')) ?? ''
  expect(boot).not.toContain(slot)
  const names = async () => (await isosOf(pve, vmid, image)).map(({ volid }) => volid)
  await expect.poll(names, PATIENT).not.toContain(image)
  expect((await stateOf(pve, vmid)).status).toBe('running')
}

/** Those of scripts, beside the address that the server was sold with. */
async function expectAddresses(pve: Pve, vmid: number, scripts: string[]): Promise<void> {
  const [, sold = ''] = /ip=([\d.]+)/.exec((await configOf(pve, vmid)).ipconfig0 ?? '') ?? []
  await expect(async () => {
    const reported = await addressesOf(pve, vmid)
    expect(reported.filter((one) => one === sold || one.startsWith('198.51.100.'))).toEqual([
      sold,
      ...scripts,
    ])
  }).toPass(PATIENT)
}

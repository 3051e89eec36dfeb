import {
  type PowerDnsStandIn,
  startPowerDnsStandIn,
} from '../../src/server/reverse-dns/testing/powerdns-stand-in.ts'
import { startProcess } from '../../src/server/testing/server-process.ts'
import { PROVISIONED, take, wayIn } from '../acts/buying.ts'
import { expectToast } from '../acts/looking.ts'
import { enter } from '../acts/people.ts'
import { expect } from '../house/fixtures.ts'
import { test as shopTest } from '../house/shop.ts'

const NAME = 'Signpost, 1 CPU, 1 GB RAM, 20 GB SSD'

/** A shop that asks a DNS server of the test. */
const test = shopTest.extend<object, { dns: PowerDnsStandIn }>({
  dns: [
    async ({}, use) => {
      const dns = await startPowerDnsStandIn()
      await use(dns)
      await dns.close()
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ shop, dns }, use) => {
      const env = { ...shop.env, DNS_SERVERS: dns.resolver }
      const server = await startProcess(env, shop.dataDir)
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
})

test('an operator connects a DNS server, and a client names an address of its server', async ({
  page,
  people,
  shop,
  dns,
  signInAsAdmin,
  axe,
}) => {
  dns.makeZone('18.198.in-addr.arpa.')
  dns.makeZone('example.')
  await signInAsAdmin()
  await page.goto('/pools')
  const card = page.getByRole('region', { name: 'Reverse DNS' })
  await expect(card).toContainText('Not offered')
  await card.getByRole('button', { name: 'Connect a DNS server' }).click()
  const server = page.getByRole('dialog', { name: 'DNS server' })
  await server.getByRole('button', { name: 'Save' }).click()
  await expect(server).toContainText('Enter an address such as https://dns.example.net')
  await server.getByLabel('Address').fill(dns.url)
  await server.getByLabel('API key').fill('wrong')
  await server.getByRole('button', { name: 'Test' }).click()
  await expect(server).toContainText('PowerDNS does not accept the key.')
  await server.getByLabel('API key').fill(dns.key)
  await server.getByRole('button', { name: 'Test' }).click()
  await expect(server).toContainText('PowerDNS answers with 2 zones.')
  await axe()
  await server.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'DNS server saved')
  await expect(card).toContainText(`PowerDNS at ${dns.url}`)

  await page.getByRole('button', { name: 'Edit Test' }).click()
  const pool = page.getByRole('dialog', { name: 'Edit Test' })
  await pool.getByLabel('Names by pattern (optional)').fill('{ip}.vps.example')
  await pool.getByRole('button', { name: 'Save' }).click()
  await expect(pool).toContainText('enter the reverse zone too')
  await pool.getByLabel('Reverse zone (optional)').fill('18.198.in-addr.arpa')
  await pool.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Pool updated successfully')

  await shop.offer(NAME)
  await page.context().clearCookies()
  await enter(page, await people.anonymous())
  const bought = await take(page, NAME)
  await expect(wayIn(bought)).toBeVisible(PROVISIONED)
  await bought.getByRole('link', { name: NAME, exact: true }).click()
  await page.getByRole('button', { name: 'Network', exact: true }).click()
  const tab = page.getByRole('region', { name: 'Network' })
  await expect(tab).toContainText(/Reverse name, IPv4198-18-0-\d+\.vps\.exampleChange/)
  await axe()
  const change = tab.getByRole('button', { name: /^Change reverse name of / })
  const address = ((await change.getAttribute('aria-label')) ?? '').split(' ').at(-1) ?? ''
  expect(dns.ptrOf(address)).toBe(`${address.replaceAll('.', '-')}.vps.example.`)

  await change.click()
  const dialog = page.getByRole('dialog', { name: 'Reverse name' })
  await dialog.getByLabel('Name').fill('mail')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toContainText('Enter a whole name such as mail.example.org')
  await dialog.getByLabel('Name').fill('mail.example')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toContainText(`mail.example has no A record for ${address}. Add it`)
  await axe()
  dns.addRecord('example.', { name: 'mail.example.', type: 'A', content: address })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Reverse name saved')
  await expect(tab).toContainText('Reverse name, IPv4mail.exampleChange')
  expect(dns.ptrOf(address)).toBe('mail.example.')

  await change.click()
  await dialog.getByRole('button', { name: 'Reset to default' }).click()
  await expect(tab).toContainText('.vps.exampleChange')
})

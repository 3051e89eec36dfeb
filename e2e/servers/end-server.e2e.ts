import { buy, PROVISIONED, vmOf, wayIn } from '../acts/buying.ts'
import { expectToast } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { expect } from '../house/fixtures.ts'
import { test } from '../house/shop.ts'

test('an operator suspends, resumes, reveals and ends a client’s server; the client reads why', async ({
  page,
  people,
  shop,
  elsewhere,
}) => {
  test.slow()
  const name = 'Guest house, 1 CPU, 1 GB RAM, 20 GB SSD'
  const { client, card } = await buy(page, { people, shop }, name)
  await expect(wayIn(card)).toBeVisible(PROVISIONED)
  const vm = () => vmOf(shop, name)

  const office = await elsewhere()
  await enter(office, admin)
  await office.goto('/instances')
  await office.getByRole('button', { name: `Suspend ${name}` }).click()
  const suspend = office.getByRole('dialog', { name: 'Suspend server' })
  await suspend.getByLabel('Reason').fill('You send spam.')
  await suspend.getByRole('button', { name: 'Suspend' }).click()
  await expectToast(office, 'Server suspended')
  await expect.poll(() => vm()?.qmp, PROVISIONED).toBe('stopped')
  await expect(card).toContainText('The operator has suspended this server')
  await expect(card).toContainText('You send spam.')
  await page.goto('/my-instances')
  const machine = page.getByRole('article', { name })
  await expect(machine).toContainText('suspended this server: You send spam.')
  await expect(machine.getByRole('button', { name: `Start ${name}`, exact: true })).toBeDisabled()
  await office.getByRole('button', { name: `Resume ${name}` }).click()
  await office.getByRole('alertdialog').getByRole('button', { name: 'Resume' }).click()
  await expectToast(office, 'Server resumed')
  await expect.poll(() => vm()?.qmp, PROVISIONED).toBe('running')

  await machine.getByRole('button', { name: `End server ${name}` }).click()
  const own = page.getByRole('dialog', { name: 'End server' })
  await expect(own).toContainText('Unused time is not refunded.')
  await own.getByRole('button', { name: 'Cancel' }).click()
  await expect(machine).toBeVisible()

  await office.goto('/tokens')
  const row = office.getByRole('row').filter({ hasText: name })
  await expect(row.getByRole('button', { name: /^Edit/ })).toBeDisabled()
  const choose = async (item: string) => {
    await row.getByRole('button', { name: /^More for/ }).click()
    await office.getByRole('menuitem', { name: item }).click()
  }
  await choose('Reveal login')
  const login = office.getByRole('dialog', { name: 'Reveal login' })
  await expect(login).toContainText('the client sees it in their activity')
  await login.getByRole('button', { name: 'Reveal' }).click()
  await expect(login.getByText('root', { exact: true })).toBeVisible()
  await login.getByRole('button', { name: 'Close' }).first().click()
  await page.goto('/settings?tab=activity')
  await expect(page.getByText('Server login revealed')).toBeVisible()

  await choose('End server')
  const end = office.getByRole('dialog', { name: 'End server' })
  await expect(end).toContainText(client.username)
  await expect(end).toContainText('$5.00')
  await end.getByRole('radio', { name: /^No refund/ }).check()
  await end.getByRole('textbox').fill(String(vm()?.vmid))
  await end.getByRole('button', { name: 'End server' }).click()
  await expectToast(office, 'Server ended')
  await expect.poll(() => vm()?.qmp, PROVISIONED).toBe('stopped')
  await office.goto('/orders')
  const ended = office.getByRole('row').filter({ hasText: name })
  await expect(ended).toContainText('Ended')
})

test('deactivating a client asks, counts its servers and can suspend them', async ({
  page,
  people,
  shop,
  elsewhere,
}) => {
  test.slow()
  const name = 'Spare room, 1 CPU, 1 GB RAM, 20 GB SSD'
  const { client, card } = await buy(page, { people, shop }, name)
  await expect(wayIn(card)).toBeVisible(PROVISIONED)
  const vm = () => vmOf(shop, name)

  const office = await elsewhere()
  await enter(office, admin)
  await office.goto(`/users?q=${client.username}`)
  await office.getByRole('switch', { name: `${client.username} is active` }).click()
  const question = office.getByRole('alertdialog')
  await expect(question).toContainText('1 server of this client goes on running')
  await question.getByRole('checkbox').check()
  await question.getByRole('button', { name: 'Deactivate' }).click()
  await expectToast(office, 'User deactivated')
  await expect.poll(() => vm()?.qmp, PROVISIONED).toBe('stopped')
})

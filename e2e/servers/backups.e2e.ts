import { PROVISIONED } from '../acts/buying.ts'
import { expectToast } from '../acts/looking.ts'
import { enter, type People } from '../acts/people.ts'
import { orderPlan } from '../acts/plans.ts'
import { expect, test } from '../house/fixtures.ts'

const PLAN = { name: 'Keeper', cpu: '1 CPU', ram: '1 GB RAM', storage: '20 GB SSD', price: 6 }

type ClusterRow = { id: number; settings: object }

/** The operator chooses where backups go, and sells a package with two of them. */
async function sellBackups({ ask }: People): Promise<void> {
  for (const { id, settings } of (await ask('/api/clusters')) as ClusterRow[]) {
    await ask(`/api/clusters/${id}`, 'PUT', { settings: { ...settings, backupStorage: 'local' } })
  }
  await ask('/api/packages', 'POST', { ...PLAN, osOptions: ['Debian 12'], backupLimit: 2 })
}

test('a client backs up a server, restores it in place and deletes the backup', async ({
  page,
  people,
  axe,
}) => {
  test.slow()
  await sellBackups(people)
  await enter(page, await people.anonymous())
  await orderPlan(page, PLAN.name, 'Debian 12')
  await expect(page.getByText('Your server is ready')).toBeVisible(PROVISIONED)
  await page.goto('/my-instances')
  await page
    .getByRole('link', { name: /Keeper/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Backups', exact: true }).click()
  const tab = page.getByRole('region', { name: 'Backups', exact: true })
  await expect(tab).toContainText('No backups yet')
  await tab.getByRole('button', { name: 'Back up now' }).click()
  await expectToast(page, 'The server is being backed up')
  const made = tab.getByRole('listitem', { name: /^Backup of/ })
  await expect(made).toContainText('GiB', PROVISIONED)
  await expect(tab).toContainText('1 of 2 made')

  await made.getByRole('button', { name: /^Protect/ }).click()
  await expectToast(page, 'The backup is protected')
  await expect(made.getByRole('button', { name: /^Delete/ })).toBeDisabled()
  await made.getByRole('button', { name: /^Unprotect/ }).click()
  await expectToast(page, 'The protection has ended')

  await made.getByRole('button', { name: /^Restore/ }).click()
  const question = page.getByRole('alertdialog', { name: /^Restore Backup of/ })
  await expect(question).toContainText('Everything on the server now is deleted first')
  const confirm = question.getByRole('button', { name: 'Restore' })
  await question.getByRole('textbox').fill('not this one')
  await expect(confirm).toBeDisabled()
  const toType = await question.getByText(/^Type /).textContent()
  await question.getByRole('textbox').fill(/^Type (.+?) to confirm/.exec(toType ?? '')?.[1] ?? '')
  await axe()
  await confirm.click()
  await expectToast(page, 'The backup is being restored')
  await page.getByRole('button', { name: 'Activity', exact: true }).click()
  await expect(page.getByText('Backup restored', { exact: true })).toBeVisible(PROVISIONED)
  await expect(page.getByText('Running', { exact: true })).toBeVisible(PROVISIONED)

  await page.getByRole('button', { name: 'Backups', exact: true }).click()
  await made.getByRole('button', { name: /^Delete/ }).click()
  const removal = page.getByRole('alertdialog', { name: /^Delete Backup of/ })
  await removal.getByRole('button', { name: 'Delete' }).click()
  await expectToast(page, 'The backup is being deleted')
  await expect(tab).toContainText('No backups yet', PROVISIONED)
})

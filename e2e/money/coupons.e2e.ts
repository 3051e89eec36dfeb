import { expectToast } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { BY_HAND, sellByHand } from '../acts/plans.ts'
import { expect, test } from '../house/fixtures.ts'

test('an operator makes a coupon, and a client sees the price before ordering with it', async ({
  page,
  people,
  server,
  signInAsAdmin,
  axe,
}) => {
  await sellByHand(server.url)
  await signInAsAdmin()
  await page.goto('/settings?tab=payments')
  await page.getByRole('button', { name: 'Make a coupon' }).click()
  const making = page.getByRole('dialog', { name: 'Make a coupon' })
  await making.getByLabel('Code (optional)').fill('harbour-10')
  await making.getByLabel('Takes off').fill('100')
  await making.getByRole('button', { name: 'Make coupon' }).click()
  await expect(making.getByLabel('Uses in all (optional)')).toHaveAccessibleDescription(/limit/)
  await making.getByLabel('Takes off').fill('10')
  await axe()
  await making.getByRole('button', { name: 'Make coupon' }).click()
  await expectToast(page, 'Coupon HARBOUR-10 made')

  await enter(page, await people.anonymous())
  await page.goto('/pricing')
  await page.getByRole('button', { name: `Order ${BY_HAND.plan}` }).click()
  const dialog = page.getByRole('dialog', { name: `Order ${BY_HAND.plan}` })
  await dialog.getByLabel('Operating system').selectOption(BY_HAND.system)
  await dialog.getByRole('button', { name: 'Use a coupon' }).click()
  await dialog.getByLabel('Coupon').fill('harbour 11')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await expect(dialog.getByLabel('Coupon')).toHaveAccessibleDescription(/not valid/)
  await dialog.getByLabel('Coupon').fill('harbour 1o')
  await dialog.getByLabel('Coupon').press('Enter')
  await expect(dialog).toContainText('HARBOUR-10')
  await expect(dialog).toContainText('−$0.60')
  await axe()
  await dialog.getByRole('button', { name: 'Order for $5.40' }).click()
  await expect(page).toHaveURL(/\/billing\/orders\/\d+$/)
  await expect(page.getByText('$0.60 off with coupon HARBOUR-10').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Receipt' })).toContainText('$5.40')

  await enter(page, admin)
  await page.goto('/settings?tab=payments')
  await expect(page.getByText(/Used once\. For purchases/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete HARBOUR-10' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Switch off HARBOUR-10' }).click()
  await expectToast(page, 'Coupon is off')
})

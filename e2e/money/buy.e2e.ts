import { PROVISIONED, take } from '../acts/buying.ts'
import { enter } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'

test('a client buys a server, watches its progress, and finds the login', async ({
  page,
  people,
}) => {
  test.slow()
  await enter(page, await people.anonymous())
  await page.goto('/create-instance')
  const offer = page.getByRole('article').filter({ hasText: 'Small, 1 CPU' })
  await offer.getByRole('button', { name: /Buy/ }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('$6.00')
  await expect(question).toContainText('Test mode: no money moves')
  await question.getByRole('button', { name: /^Buy for/ }).click()

  const card = page.getByRole('article', { name: /Small, 1 CPU/ })
  await expect(card).toBeVisible()
  // Reloading the page in the middle loses nothing.
  await page.reload()
  await expect(card.getByText('ssh ubuntu@203.0.113.61', { exact: true })).toBeVisible(PROVISIONED)
  await expect(card.getByRole('timer')).toContainText(/\d/)

  await page.getByRole('link', { name: 'My Instances', exact: true }).click()
  await expect(page.getByRole('button', { name: /^Console of/ })).toBeEnabled(PROVISIONED)
  await expect(page.getByRole('button', { name: /^Start / })).toBeDisabled()
})

test('a free trial starts without paying', async ({ page, people }) => {
  await enter(page, await people.anonymous())
  const card = await take(page, 'Taster')
  await expect(card.getByText('ssh debian@203.0.113.60', { exact: true })).toBeVisible(PROVISIONED)
})

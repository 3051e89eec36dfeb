import { chooseInRow, clipboardOf, expectToast, rowOf, toastOf } from '../acts/looking.ts'
import { admin, enter, register, whoIsIn } from '../acts/people.ts'
import { expect, fillSignIn, test } from '../house/fixtures.ts'

test.beforeEach(async ({ page }) => {
  await enter(page, admin)
})

test('a user is created, after every validation sentence was shown', async ({
  page,
  elsewhere,
}) => {
  await page.goto('/users')
  await page.getByRole('link', { name: 'Add New User' }).click()
  await expect(page).toHaveURL('/create-user')
  const create = page.getByRole('button', { name: 'Create User' })
  await create.click()
  for (const [label, sentence] of [
    ['First name', 'First name must be at least 2 characters'],
    ['Last name', 'Last name must be at least 2 characters'],
    ['E-mail', 'Please enter a valid email address'],
    ['Mobile number', 'Please enter a valid mobile number'],
    ['Password', 'Password must be at least 8 characters'],
    ['Confirm password', 'Please confirm your password'],
  ] as const) {
    await expect(page.getByLabel(label, { exact: true })).toHaveAccessibleDescription(sentence)
  }
  await expect(page.getByLabel('First name')).toBeFocused()

  const email = `mary.${Date.now()}@example.test`
  await page.getByLabel('First name').fill('Mary')
  await page.getByLabel('Last name').fill('Somerville')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Mobile number').fill('+43 1 5550199')
  await page.getByLabel('Password', { exact: true }).fill('long enough')
  await page.getByLabel('Confirm password').fill('long but other')
  await create.click()
  await expect(page.getByLabel('Confirm password')).toHaveAccessibleDescription(
    "Passwords don't match",
  )
  await page.getByLabel('Confirm password').fill('long enough')
  await create.click()
  await expectToast(page, 'User created successfully')
  await expect(page).toHaveURL('/users')
  await expect(rowOf(page, email)).toContainText('Mary Somerville')
  await expect(rowOf(page, email)).toContainText('Client')

  const theirs = await elsewhere()
  await enter(theirs, { username: email, password: 'long enough' })
  expect(await whoIsIn(theirs)).toMatchObject({ role: 'client' })
})

test('an e-mail address that is taken is refused in words', async ({ page, people }) => {
  const { email } = await people.client()
  await page.goto('/create-user')
  await page.getByLabel('First name').fill('Mary')
  await page.getByLabel('Last name').fill('Somerville')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Mobile number').fill('+43 1 5550199')
  await page.getByLabel('Password', { exact: true }).fill('long enough')
  await page.getByLabel('Confirm password').fill('long enough')
  await page.getByRole('button', { name: 'Create User' }).click()
  await expectToast(page, 'User creation failed', 'Another account has this email address.')
  await expect(page.getByLabel('E-mail')).toHaveValue(email)
  await page.getByRole('link', { name: 'Back to System Users' }).click()
  await expect(page).toHaveURL('/users')
})

test('the dialog edits its account', async ({ page, people }) => {
  const { email } = await people.client()
  await page.goto('/users')
  await rowOf(page, email).getByRole('button', { name: /^Edit/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit User' })
  await expect(dialog.getByLabel('E-mail')).toHaveValue(email)
  await dialog.getByLabel('Last name').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByLabel('Last name')).toHaveAccessibleDescription(
    'Last name must be at least 2 characters',
  )
  await dialog.getByLabel('Last name').fill('Renamed')
  await dialog.getByLabel('Role').selectOption('Administrator')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'User updated successfully')
  await expect(dialog).toBeHidden()
  await expect(rowOf(page, email)).toContainText('Robin Renamed')
  await expect(rowOf(page, email)).toContainText('Administrator')
})

test('an anonymous client may be changed and stays without a name', async ({ page, people }) => {
  const { username } = await people.anonymous()
  await page.goto('/users')
  await rowOf(page, username).getByRole('button', { name: /^Edit/ }).click()
  await page.getByRole('dialog').getByLabel('Active').uncheck()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'User updated successfully')
  await expect(rowOf(page, username)).toContainText('Inactive')
})

test('deactivating an account ends its session and blocks sign-in', async ({
  page,
  people,
  elsewhere,
}) => {
  const person = await people.client()
  const theirs = await elsewhere()
  await enter(theirs, person)
  await page.goto('/users')
  const isActive = rowOf(page, person.email).getByRole('switch', {
    name: `${person.name} is active`,
  })
  await isActive.click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click()
  await expectToast(page, 'User deactivated')
  await expect(rowOf(page, person.email)).toContainText('Inactive')
  expect(await whoIsIn(theirs)).toBeUndefined()

  await isActive.click()
  await expectToast(page, 'User activated')
  await enter(theirs, person)
})

test('a reset password is shown, copied, and signs in', async ({ page, people, elsewhere }) => {
  await page.clock.install()
  const person = await people.client()
  const theirs = await elsewhere()
  await enter(theirs, person)
  await page.goto('/users')
  await chooseInRow(page, person.email, 'Reset Password')
  const question = page.getByRole('alertdialog', {
    name: `Reset the password of ${person.name}?`,
  })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await question.getByRole('button', { name: 'Reset Password' }).click()

  const dialog = page.getByRole('dialog', { name: 'New password' })
  const newPassword = (await dialog.getByRole('code').textContent()) ?? ''
  expect(newPassword).toHaveLength(31)
  await expectToast(page, 'Password reset successfully', newPassword)
  await expect.poll(() => clipboardOf(page)).toBe(newPassword)
  await page.clock.fastForward(8_000)
  await expect(toastOf(page)).toBeVisible()
  await page.clock.fastForward(3_000)
  await expect(toastOf(page)).toBeHidden()
  // The only copy: neither a click outside nor Escape closes it.
  await page.mouse.click(5, 5)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText(newPassword)).toHaveCount(0)

  expect(await whoIsIn(theirs)).toBeUndefined()
  await theirs.goto('/login')
  await fillSignIn(theirs, person.username, person.password)
  await expectToast(theirs, 'Login Failed')
  await fillSignIn(theirs, person.username, newPassword)
  await expect(theirs.getByRole('button', { name: 'Logout' })).toBeVisible()
})

test('a released device may register again', async ({ page, people, server }) => {
  const { username, device } = await people.anonymous()
  expect((await register(server.url, device)).status).toBe(409)
  await page.goto('/users')
  await chooseInRow(page, username, 'Release Device')
  await page
    .getByRole('alertdialog', { name: `Release the device of ${username}?` })
    .getByRole('button', { name: 'Release Device' })
    .click()
  await expectToast(page, 'Device released successfully')
  await rowOf(page, username)
    .getByRole('button', { name: /^More for/ })
    .click()
  await expect(page.getByRole('menuitem', { name: 'Reset Password' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Release Device' })).toBeHidden()
  expect((await register(server.url, device)).status).toBe(201)
})

test('a client is deleted after its name is typed', async ({ page, people, elsewhere }) => {
  const person = await people.client()
  await page.goto('/users')
  await chooseInRow(page, person.email, 'Delete')
  const question = page.getByRole('alertdialog', { name: `Delete ${person.name}?` })
  const remove = question.getByRole('button', { name: 'Delete' })
  await expect(remove).toBeDisabled()
  await question.getByLabel(`Type ${person.username} to confirm`).fill('something else')
  await expect(remove).toBeDisabled()
  await question.getByLabel(`Type ${person.username} to confirm`).fill(person.username)
  await remove.click()
  await expectToast(page, 'User deleted successfully')
  await expect(rowOf(page, person.email)).toHaveCount(0)

  const theirs = await elsewhere()
  await theirs.goto('/login')
  await fillSignIn(theirs, person.username, person.password)
  await expectToast(theirs, 'Login Failed')
})

test('an administrator is not offered for deletion', async ({ page, people }) => {
  const other = await people.admin()
  await page.goto('/users')
  await expect(rowOf(page, other.email)).toContainText('+43 1 5550100')
  await rowOf(page, other.email)
    .getByRole('button', { name: /^More for/ })
    .click()
  await expect(page.getByRole('menuitem', { name: 'Reset Password' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeHidden()
})

test('the search matches every name and is kept in the address', async ({ page, people }) => {
  const wanted = await people.client({ firstName: 'Sophie', lastName: 'Germain' })
  const other = await people.client()
  await page.goto('/users')
  await expect(rowOf(page, other.email)).toBeVisible()
  const find = page.getByRole('searchbox', { name: 'Find an account' })
  for (const text of ['germain sophie', wanted.email, wanted.username]) {
    await find.fill(text)
    await expect(rowOf(page, wanted.email)).toBeVisible()
    await expect(rowOf(page, other.email)).toHaveCount(0)
  }
  await page.reload()
  await expect(find).toHaveValue(wanted.username)
  await expect(rowOf(page, wanted.email)).toBeVisible()
  await expect(rowOf(page, other.email)).toHaveCount(0)
  await find.fill('nobody is called this')
  await expect(page.getByText('No users found')).toBeVisible()
})

test('a username can be copied, and its password is not shown', async ({ page, people }) => {
  const { username } = await people.anonymous()
  await page.goto('/users')
  await expect(rowOf(page, username)).toContainText('Password encrypted')
  await rowOf(page, username)
    .getByRole('button', { name: `Copy username ${username}` })
    .click()
  await expect.poll(() => clipboardOf(page)).toBe(username)
})

import { expect, test } from 'vitest'
import { PasswordChange } from '#shared/api/people/account.ts'
import { checkPasswordForm } from './password-rules.ts'

const good = { currentPassword: 'old', newPassword: 'long enough', confirmPassword: 'long enough' }

test('a valid form has no errors', () => {
  expect(checkPasswordForm(good)).toEqual({})
})

test.each([
  { currentPassword: '', newPassword: 'long enough' },
  { currentPassword: 'old', newPassword: 'short' },
  { currentPassword: '', newPassword: '' },
])("the form shows the server's sentence: %j", (body) => {
  const server = PasswordChange.safeParse(body).error?.issues ?? []
  const said = checkPasswordForm({ ...body, confirmPassword: body.newPassword })
  for (const { path, message } of server) {
    expect(said[path[0] as keyof typeof said]).toBe(message)
  }
  expect(server.length).toBeGreaterThan(0)
})

test('the two new passwords must be equal', () => {
  expect(checkPasswordForm({ ...good, confirmPassword: 'something else' })).toEqual({
    confirmPassword: "Passwords don't match",
  })
  expect(checkPasswordForm({ ...good, confirmPassword: '' })).toEqual({
    confirmPassword: 'Please confirm your password',
  })
})

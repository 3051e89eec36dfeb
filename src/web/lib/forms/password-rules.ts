/**
 * The sentences of `PasswordChange` in shared/api/people/account.ts, without zod: a client's pages
 * do not load it. The test compares them with the schema.
 */
const MIN = 8

export type PasswordForm = { currentPassword: string; newPassword: string; confirmPassword: string }
export type PasswordErrors = { [K in keyof PasswordForm]?: string }

export function checkPasswordForm(form: PasswordForm): PasswordErrors {
  const errors: PasswordErrors = {}
  if (form.currentPassword === '') errors.currentPassword = 'Please enter your current password'
  if (form.newPassword.length < MIN) errors.newPassword = 'Password must be at least 8 characters'
  if (form.confirmPassword.length < MIN) errors.confirmPassword = 'Please confirm your password'
  else if (form.confirmPassword !== form.newPassword)
    errors.confirmPassword = "Passwords don't match"
  return errors
}

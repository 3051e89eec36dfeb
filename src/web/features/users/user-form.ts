import { z } from 'zod'
import { type User, UserCreate, UserUpdate } from '#shared/api/people/users.ts'
import { PASSWORD_MIN } from '#shared/rules/people/password-length.ts'

export type UserFields = {
  firstName: string
  lastName: string
  email: string
  mobileNumber: string
  role: User['role']
  isActive: boolean
}
export type NewUserFields = UserFields & { password: string; confirmPassword: string }

export const EMPTY_USER: NewUserFields = {
  firstName: '',
  lastName: '',
  email: '',
  mobileNumber: '',
  role: 'client',
  isActive: true,
  password: '',
  confirmPassword: '',
}

const confirmPassword = z.string().min(PASSWORD_MIN, 'Please confirm your password')

/** The schema of the call, plus the form's own rule: the password is typed twice. */
export const checkNewUser = (fields: NewUserFields) =>
  UserCreate.omit({ agreedToTerms: true })
    .extend({
      confirmPassword: confirmPassword.refine(
        (again) => again.length < PASSWORD_MIN || again === fields.password,
        "Passwords don't match",
      ),
    })
    .safeParse(fields)

export const fieldsOf = (user: User): UserFields => ({
  firstName: user.firstName ?? '',
  lastName: user.lastName ?? '',
  email: user.email ?? '',
  mobileNumber: user.mobileNumber ?? '',
  role: user.role,
  isActive: user.isActive,
})

/** Only what was changed: an anonymous client has no name and does not need one. */
export function changesOf(before: UserFields, after: UserFields): Partial<UserFields> {
  const changed = Object.entries(after).filter(
    ([name, value]) => before[name as keyof UserFields] !== value,
  )
  return Object.fromEntries(changed)
}

export const checkChanges = (before: UserFields) => (after: UserFields) =>
  UserUpdate.safeParse(changesOf(before, after))

import { describe, expect, test } from 'vitest'
import { UserCreate } from '#shared/api/people/users.ts'
import { fieldErrors } from '../../lib/forms/zod-resolver.ts'
import { changesOf, checkChanges, checkNewUser, EMPTY_USER, fieldsOf } from './user-form.ts'

const good = {
  ...EMPTY_USER,
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.org',
  mobileNumber: '+1 555 010 0199',
  password: 'correct horse',
  confirmPassword: 'correct horse',
}

const errorsOf = (values: typeof good) => {
  const issues = checkNewUser(values).error?.issues ?? []
  const errors = fieldErrors<typeof good>(issues)
  return Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, error?.message]))
}

describe('create', () => {
  test('a complete form passes here and on the server', () => {
    expect(errorsOf(good)).toEqual({})
    const { confirmPassword: _, ...body } = good
    expect(UserCreate.safeParse({ ...body, agreedToTerms: true }).success).toBe(true)
  })

  test('an empty form shows every sentence of the specification at once', () => {
    expect(errorsOf(EMPTY_USER)).toEqual({
      firstName: 'First name must be at least 2 characters',
      lastName: 'Last name must be at least 2 characters',
      email: 'Please enter a valid email address',
      mobileNumber: 'Please enter a valid mobile number',
      password: 'Password must be at least 8 characters',
      confirmPassword: 'Please confirm your password',
    })
  })

  test('two different passwords are refused', () => {
    expect(errorsOf({ ...good, confirmPassword: 'correct house' })).toEqual({
      confirmPassword: "Passwords don't match",
    })
  })
})

describe('edit', () => {
  const anonymous = fieldsOf({
    id: 1,
    username: '1234567',
    firstName: null,
    lastName: null,
    email: null,
    mobileNumber: null,
    role: 'client',
    isActive: true,
    createdAt: '2026-01-01T00:00:00.000Z',
  })

  test('sends and checks only what was changed', () => {
    const after = { ...anonymous, isActive: false }
    expect(changesOf(anonymous, after)).toEqual({ isActive: false })
    expect(checkChanges(anonymous)(after).success).toBe(true)
  })

  test('changed values must be valid', () => {
    const after = { ...anonymous, firstName: 'A' }
    const { error } = checkChanges(anonymous)(after)
    expect(error?.issues[0]?.message).toBe('First name must be at least 2 characters')
  })
})

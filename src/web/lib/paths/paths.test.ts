import { describe, expect, test } from 'vitest'
import { isProtectedPath, loginPath, orderPath, paths, pricingPath, registerPath } from './paths.ts'

test('public pages need no sign-in, all others do', () => {
  const open = Object.values(paths).filter((path) => !isProtectedPath(path))
  expect(open).toEqual(['/', '/login', '/register', '/pricing', '/terms', '/privacy'])
  expect(isProtectedPath(orderPath(7))).toBe(true)
  expect(isProtectedPath('/no-such-page')).toBe(false)
})

describe('links', () => {
  test('carry everything needed to return', () => {
    expect(loginPath()).toBe('/login')
    expect(loginPath({ next: '/users' })).toBe('/login?next=%2Fusers')
    expect(loginPath({ next: '/', ended: true })).toBe('/login?ended=1')
    expect(registerPath('small')).toBe('/register?plan=small')
    expect(pricingPath()).toBe('/pricing')
  })
})

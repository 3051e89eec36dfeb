import { expect, test } from 'vitest'
import { pageTitle } from './page-title.ts'
import { orderPath, serverPath } from './paths.ts'

test('the title follows the route, and for an unknown path the role', () => {
  expect(pageTitle('/nodes', 'admin')).toBe('Nodes & Templates')
  expect(pageTitle('/my-tokens', 'client')).toBe('My VPS Tokens')
  expect(pageTitle(orderPath(7), 'client')).toBe('Order 7')
  expect(pageTitle(serverPath(7), 'client')).toBe('Server')
  expect(pageTitle(serverPath(7), 'admin')).toBe('Server')
  expect(pageTitle('/nowhere', 'client')).toBe('Dashboard')
  expect(pageTitle('/users', 'client')).toBe('Dashboard')
  expect(pageTitle('/my-instances', 'admin')).toBe('Page not found')
  expect(pageTitle('/nowhere', 'admin')).toBe('Page not found')
})

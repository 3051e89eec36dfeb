import type { Page } from '@playwright/test'

export type Role = 'visitor' | 'client' | 'admin'
export type Screen = {
  role: Role
  name: string
  path: string
  /** Brings the page into the state worth seeing, such as an open dialog. */
  prepare?: (page: Page) => Promise<void>
}

const click = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().click()

/** Every screen there is, for the screenshots and for axe. A new page gets a line here. */
export const SCREENS: Screen[] = [
  { role: 'visitor', name: 'landing', path: '/' },
  { role: 'visitor', name: 'pricing', path: '/pricing' },
  { role: 'visitor', name: 'login', path: '/login' },
  { role: 'visitor', name: 'register', path: '/register' },
  { role: 'visitor', name: 'privacy', path: '/privacy' },
  { role: 'visitor', name: 'terms', path: '/terms' },
  { role: 'client', name: 'dashboard', path: '/client-dashboard' },
  { role: 'client', name: 'pricing', path: '/pricing' },
  { role: 'client', name: 'settings', path: '/settings' },
  { role: 'client', name: 'profile', path: '/profile' },
  { role: 'admin', name: 'dashboard', path: '/' },
  { role: 'admin', name: 'users', path: '/users' },
  {
    role: 'admin',
    name: 'users-reset',
    path: '/users',
    prepare: click(/reset password/i),
  },
  { role: 'admin', name: 'create-user', path: '/create-user' },
  { role: 'admin', name: 'settings', path: '/settings' },
  { role: 'admin', name: 'audit', path: '/settings?tab=audit' },
  { role: 'admin', name: 'not-found', path: '/no-such-page' },
]

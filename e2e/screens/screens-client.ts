import type { Page } from '@playwright/test'
import { openPalette, pressAndAsk, pressAndSee, type Screen } from './answers/screen-acts.ts'

/** With three servers the cards begin closed. */
const inCard = (button: RegExp) => async (page: Page) => {
  await pressAndSee(/^More about Harbour/, 'Harbour')(page)
  await pressAndAsk(button)(page)
}

/** Screens of a client without servers, and of one with servers. */
export const CLIENT_SCREENS: readonly Screen[] = [
  { role: 'client', name: 'dashboard', path: '/client-dashboard' },
  { role: 'client', name: 'my-tokens', path: '/my-tokens' },
  { role: 'client', name: 'create-instance', path: '/create-instance' },
  { role: 'client', name: 'my-instances', path: '/my-instances' },
  {
    role: 'client',
    name: 'menu',
    path: '/',
    isNarrow: true,
    prepare: pressAndAsk('Open the menu'),
  },
  {
    role: 'client',
    name: 'account-menu',
    path: '/',
    prepare: pressAndSee('Client User', 'Keyboard shortcuts'),
  },
  { role: 'client', name: 'pricing', path: '/pricing' },
  {
    role: 'client',
    name: 'pricing-order',
    path: '/pricing',
    prepare: pressAndAsk('Order Trial'),
  },
  { role: 'client', name: 'billing', path: '/billing' },
  { role: 'customer', name: 'billing', path: '/billing' },
  { role: 'client', name: 'order-not-found', path: '/billing/orders/999999' },
  { role: 'client', name: 'settings', path: '/settings' },
  { role: 'client', name: 'settings-security', path: '/settings?tab=security' },
  {
    role: 'client',
    name: 'settings-security-errors',
    path: '/settings?tab=security',
    prepare: pressAndSee('Change password', 'Please enter your current password'),
  },
  {
    role: 'client',
    name: 'settings-sign-out',
    path: '/settings?tab=security',
    prepare: pressAndSee('Sign out everywhere', 'Sign out everywhere?'),
  },
  { role: 'client', name: 'settings-activity', path: '/settings?tab=activity' },
  { role: 'client', name: 'settings-appearance', path: '/settings?tab=appearance' },
  { role: 'client', name: 'profile', path: '/profile' },
  {
    role: 'client',
    name: 'changelog',
    path: '/profile',
    prepare: pressAndSee('Changelog', 'What is new, and since when.'),
  },
  { role: 'customer', name: 'dashboard', path: '/client-dashboard' },
  { role: 'customer', name: 'my-instances', path: '/my-instances' },
  {
    role: 'customer',
    name: 'dashboard-open',
    path: '/client-dashboard',
    prepare: pressAndSee(/^More about Harbour/, 'MAC address'),
  },
  {
    role: 'customer',
    name: 'my-instances-open',
    path: '/my-instances',
    prepare: pressAndSee(/^More about Harbour/, 'Uptime'),
  },
  { role: 'customer', name: 'my-tokens', path: '/my-tokens' },
  {
    role: 'customer',
    name: 'history',
    path: '/client-dashboard',
    prepare: inCard(/^History of Harbour/),
  },
  {
    role: 'customer',
    name: 'renew',
    path: '/client-dashboard',
    prepare: pressAndAsk(/^Renew Lighthouse/),
  },
  {
    role: 'customer',
    name: 'end-server',
    path: '/client-dashboard',
    prepare: inCard(/^End server Harbour/),
  },
  {
    role: 'customer',
    name: 'my-instances-end',
    path: '/my-instances',
    prepare: inCard(/^End server Harbour/),
  },
  {
    role: 'customer',
    name: 'console',
    path: '/my-instances',
    prepare: pressAndAsk(/^Console of/),
  },
  { role: 'customer', name: 'palette', path: '/my-instances', prepare: openPalette('harbour') },
  {
    role: 'client',
    name: 'buy',
    path: '/create-instance',
    prepare: pressAndAsk(/^Buy: /),
  },
  {
    role: 'client',
    name: 'trial',
    path: '/create-instance',
    prepare: pressAndAsk(/^Start Free Trial/),
  },
]

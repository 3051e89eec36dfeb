import { openPalette, press, pressAndAsk, pressAndSee, type Screen } from './screen-acts.ts'

/** Of a client with nothing yet, and of one with servers. */
export const CLIENT_SCREENS: readonly Screen[] = [
  { role: 'client', name: 'dashboard', path: '/client-dashboard' },
  { role: 'client', name: 'my-tokens', path: '/my-tokens' },
  { role: 'client', name: 'create-instance', path: '/create-instance' },
  { role: 'client', name: 'my-instances', path: '/my-instances' },
  { role: 'client', name: 'menu', path: '/', isNarrow: true, prepare: press('Open the menu') },
  { role: 'client', name: 'pricing', path: '/pricing?plan=trial' },
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
  { role: 'customer', name: 'my-tokens', path: '/my-tokens' },
  {
    role: 'customer',
    name: 'history',
    path: '/client-dashboard',
    prepare: pressAndAsk(/^History of Harbour/),
  },
  {
    role: 'customer',
    name: 'renew',
    path: '/client-dashboard',
    prepare: pressAndAsk(/^Renew Lighthouse/),
  },
  {
    role: 'customer',
    name: 'cancel',
    path: '/client-dashboard',
    prepare: pressAndAsk(/^Cancel Harbour/),
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

import { expectRefreshFailed, fail, hang, type Screen } from './answers/screen-acts.ts'

/** How a page looks on a bad connection: it fails, it hangs, or it is cut off later. */
export const TROUBLED_SCREENS: readonly Screen[] = [
  { role: 'visitor', name: 'pricing-failed', path: '/pricing', trouble: fail('packages/public') },
  { role: 'customer', name: 'dashboard-failed', path: '/', trouble: fail('client/tokens') },
  {
    role: 'customer',
    name: 'my-instances-stale',
    path: '/my-instances',
    trouble: { calls: '*/api/client/instances*', kind: 'lose' },
    prepare: expectRefreshFailed,
  },
  { role: 'admin', name: 'dashboard-failed', path: '/', trouble: fail('stats') },
  { role: 'admin', name: 'tokens-failed', path: '/tokens', trouble: fail('tokens') },
  { role: 'admin', name: 'instances-failed', path: '/instances', trouble: fail('instances') },
  { role: 'admin', name: 'nodes-failed', path: '/nodes', trouble: fail('nodes') },
  { role: 'admin', name: 'manager-failed', path: '/proxmox-manager', trouble: fail('instances') },
  { role: 'visitor', name: 'pricing-loading', path: '/pricing', trouble: hang('packages/public') },
  { role: 'customer', name: 'dashboard-loading', path: '/', trouble: hang('client/tokens') },
  {
    role: 'customer',
    name: 'my-instances-loading',
    path: '/my-instances',
    trouble: hang('client/instances'),
  },
  {
    role: 'client',
    name: 'create-instance-loading',
    path: '/create-instance',
    trouble: hang('marketplace/tokens'),
  },
  { role: 'admin', name: 'dashboard-loading', path: '/', trouble: hang('stats') },
  { role: 'admin', name: 'tokens-loading', path: '/tokens', trouble: hang('tokens') },
  { role: 'admin', name: 'instances-loading', path: '/instances', trouble: hang('instances') },
  { role: 'admin', name: 'nodes-loading', path: '/nodes', trouble: hang('nodes') },
  { role: 'admin', name: 'manager-loading', path: '/proxmox-manager', trouble: hang('instances') },
]

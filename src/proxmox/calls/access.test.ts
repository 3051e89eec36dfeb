import { expect, it } from 'vitest'
import { holds, Permissions } from './access.ts'

it('finds privileges on a path, and on the paths that inherit them', () => {
  const permissions = Permissions.parse({
    '/': { 'Sys.Audit': 1 },
    '/pool/vps': { 'VM.PowerMgmt': 1 },
    '/storage': { 'Datastore.Audit': 0 },
  })
  expect(holds(permissions, '/', 'Sys.Audit')).toBe(true)
  expect(holds(permissions, '/nodes/pve1', 'Sys.Audit')).toBe(true)
  expect(holds(permissions, '/pool/vps', 'VM.PowerMgmt')).toBe(true)
  expect(holds(permissions, '/pool/vps', 'Sys.Audit')).toBe(false)
  expect(holds(permissions, '/storage', 'Datastore.Audit')).toBe(true)
  expect(holds(permissions, '/storage/local', 'Datastore.Audit')).toBe(false)
  expect(holds(Permissions.parse({}), '/vms/100', 'VM.Audit')).toBe(false)
})

import { expect, test } from 'vitest'
import { parseResource, resourceKey, resourcePath } from './resource-path.ts'

test('a resource has an address', () => {
  expect(resourcePath('node', 3)).toBe('/proxmox-manager?resource=node-3')
  expect(parseResource(resourceKey({ kind: 'instance', id: 12 }))).toEqual({
    kind: 'instance',
    id: 12,
  })
})

test.each(['', 'node', 'node-', 'node-x', 'user-3', 'node-3-4'])('%s is none', (key) => {
  expect(parseResource(key)).toBeUndefined()
})

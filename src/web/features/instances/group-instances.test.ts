import { describe, expect, test } from 'vitest'
import type { Instance } from '#shared/api/servers/instances.ts'
import { placesOf } from '../../widgets/cluster/places.ts'
import { findInstances, itemsByNode } from './group-instances.ts'

const instance = (id: number, name: string, status: string, node: string | null, clusterId = 1) =>
  ({
    id,
    clusterId,
    name,
    status,
    vmId: 100 + id,
    ipAddress: `203.0.113.${id}`,
    node: node === null ? null : { name: node },
  }) as Instance

const one = placesOf([{ id: 1, name: 'Berlin' }])
const two = placesOf([
  { id: 1, name: 'Berlin' },
  { id: 2, name: 'Oslo' },
])

const list = [
  instance(1, 'web', 'stopped', 'pve2'),
  instance(2, 'db', 'running', 'pve2'),
  instance(3, 'app-10', 'running', 'pve1'),
  instance(4, 'app-9', 'running', 'pve1'),
  instance(5, 'lost', 'missing', null),
  instance(6, 'aaa', 'paused', 'pve2'),
]

describe('by node', () => {
  test('groups alphabetically, running first, then by name', () => {
    const drawn = itemsByNode(list, one).map((item) =>
      item.kind === 'group' ? `${item.name} (${item.count})` : item.instance.name,
    )
    expect(drawn).toEqual([
      'No node (1)',
      'lost',
      'pve1 (2)',
      'app-9',
      'app-10',
      'pve2 (3)',
      'db',
      'aaa',
      'web',
    ])
  })

  test('does not mix two clusters that both have a pve1', () => {
    const twins = [
      instance(1, 'web', 'running', 'pve1', 1),
      instance(2, 'db', 'running', 'pve1', 2),
    ]
    const groups = itemsByNode(twins, two).flatMap((item) =>
      item.kind === 'group' ? [`${item.name}: ${item.count}`] : [],
    )
    expect(groups).toEqual(['pve1 (Berlin): 1', 'pve1 (Oslo): 1'])
  })

  test('is quick with ten thousand', () => {
    const many = Array.from({ length: 10_000 }, (_, id) =>
      instance(id, `vm-${(id * 7919) % 10_000}`, id % 3 ? 'running' : 'stopped', `pve${id % 20}`),
    )
    const start = performance.now()
    expect(itemsByNode(many, one)).toHaveLength(10_020)
    expect(performance.now() - start).toBeLessThan(1_000)
  })
})

test('finds by name, VM id, state, address and node', () => {
  const found = (text: string) => findInstances(list, text, one).map(({ id }) => id)
  expect(found('pve2 running')).toEqual([2])
  expect(found('103')).toEqual([3])
  expect(found('203.0.113.5')).toEqual([5])
  expect(findInstances(list, ' ', one)).toBe(list)
  const elsewhere = instance(9, 'mail', 'running', 'pve1', 2)
  expect(findInstances([...list, elsewhere], 'oslo', two)).toEqual([elsewhere])
})

import { expect, test } from 'vitest'
import type { Cluster } from '#shared/api/servers/clusters.ts'
import type { Node } from '#shared/api/servers/nodes.ts'
import { groupNodes, ratio } from './group-nodes.ts'

const node = (id: number, clusterId: number, name: string) => ({ id, clusterId, name }) as Node
const cluster = (id: number, name: string) => ({ id, name, problem: null }) as Cluster

test('nodes are listed under their cluster, both by name', () => {
  const groups = groupNodes(
    [node(1, 7, 'pve2'), node(2, 7, 'pve1'), node(3, 9, 'x')],
    [cluster(7, 'Zurich'), cluster(8, 'Amsterdam')],
  )
  expect(groups.map(({ name, nodes }) => [name, nodes.map((one) => one.name)])).toEqual([
    ['Amsterdam', []],
    ['Cluster 9', ['x']],
    ['Zurich', ['pve1', 'pve2']],
  ])
})

test.each([
  [1, 4, 0.25],
  [null, 4, null],
  [1, null, null],
  [0, 0, null],
])('%s of %s is %s', (used, total, value) => {
  expect(ratio(used, total)).toBe(value)
})

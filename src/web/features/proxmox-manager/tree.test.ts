import { describe, expect, test } from 'vitest'
import type { Cluster } from '#shared/api/servers/clusters.ts'
import type { Instance } from '#shared/api/servers/instances.ts'
import type { Node } from '#shared/api/servers/nodes.ts'
import type { Template } from '#shared/api/servers/templates.ts'
import { treeMove } from './tree-keys.ts'
import { buildTree, type Inventory, pathTo, treeRows } from './tree-rows.ts'

const instance = (id: number, name: string, nodeId: number | null) =>
  ({ id, name, nodeId, vmId: 100 + id, status: 'running' }) as Instance

const inventory: Inventory = {
  clusters: [{ id: 1, name: 'Home', status: 'connected' } as Cluster],
  nodes: [
    { id: 2, clusterId: 1, name: 'pve2', status: 'online' } as Node,
    { id: 1, clusterId: 1, name: 'pve1', status: 'online' } as Node,
  ],
  templates: [{ id: 5, nodeId: 1, name: 'debian', templateId: 9000 } as Template],
  instances: [instance(2, 'web-10', 1), instance(1, 'web-9', 1), instance(3, 'gone', null)],
}
const tree = buildTree(inventory)
const all = () => true
const drawn = (search = '', isOpen = all) =>
  treeRows(tree, isOpen, search).map(({ level, label }) => `${'  '.repeat(level - 1)}${label}`)

describe('the tree', () => {
  test('goes from datacenter to virtual machines, with counts and empty lists', () => {
    expect(drawn()).toEqual([
      'Datacenter',
      '  Home',
      '    pve1',
      '      Templates (1)',
      '        debian',
      '      Virtual machines (2)',
      '        web-9',
      '        web-10',
      '    pve2',
      '      Templates (0)',
      '        No templates available',
      '      Virtual machines (0)',
      '        No instances available',
      '  On no node (1)',
      '    gone',
    ])
  })

  test('hides the content of closed branches', () => {
    const rows = treeRows(tree, ({ kind }) => kind === 'datacenter')
    expect(rows.map(({ label, isExpanded }) => [label, isExpanded])).toEqual([
      ['Datacenter', true],
      ['Home', false],
      ['On no node (1)', false],
    ])
  })

  test('a search shows the matches and their ancestors', () => {
    expect(drawn('web-10')).toEqual([
      'Datacenter',
      '  Home',
      '    pve1',
      '      Virtual machines (1)',
      '        web-10',
    ])
    expect(drawn('101')).toContain('        web-9')
    expect(drawn('nothing like it')).toEqual([])
  })

  test('a link opens the ancestors of its resource', () => {
    expect(pathTo(tree, 'instance-1')).toEqual(['datacenter', 'cluster-1', 'node-1', 'instances-1'])
    expect(pathTo(tree, 'instance-99')).toEqual([])
  })

  test('counts its siblings for screen readers', () => {
    const row = treeRows(tree, all).find(({ key }) => key === 'instance-2')
    expect(row).toMatchObject({ position: 2, siblings: 2, level: 5, parent: 'instances-1' })
  })

  test('is quick with ten thousand', () => {
    const instances = Array.from({ length: 10_000 }, (_, id) => instance(id, `vm-${id}`, 1))
    const start = performance.now()
    const many = buildTree({ ...inventory, instances })
    expect(treeRows(many, all).length).toBeGreaterThan(10_000)
    expect(treeRows(many, all, 'vm-99').length).toBeGreaterThan(100)
    expect(performance.now() - start).toBeLessThan(1_000)
  })
})

describe('keys', () => {
  const rows = treeRows(tree, all)
  const at = (label: string) => rows.findIndex((row) => row.label === label)
  const go = (index: number) => ({ act: 'go', index })

  test.each([
    ['ArrowDown', 0, go(1)],
    ['ArrowUp', 0, undefined],
    ['ArrowUp', 3, go(2)],
    ['End', 0, go(rows.length - 1)],
    ['Home', 5, go(0)],
    ['ArrowRight', 0, go(1)],
    ['ArrowRight', at('web-9'), undefined],
    ['ArrowLeft', at('web-9'), go(at('Virtual machines (2)'))],
    ['p', 0, go(2)],
    ['p', at('pve2'), go(at('pve1'))],
    ['Tab', 0, undefined],
  ])('%s at %d', (key, index, move) => {
    expect(treeMove(rows, index, key)).toEqual(move)
  })

  test('Left closes an open branch, Right opens a closed one', () => {
    expect(treeMove(rows, at('Home'), 'ArrowLeft')).toMatchObject({ act: 'toggle' })
    const closed = treeRows(tree, () => false)
    expect(treeMove(closed, 0, 'ArrowRight')).toMatchObject({ act: 'toggle' })
  })

  test('Enter chooses a resource and toggles a folder', () => {
    expect(treeMove(rows, at('web-9'), 'Enter')).toMatchObject({ act: 'choose' })
    expect(treeMove(rows, at('Templates (1)'), ' ')).toMatchObject({ act: 'toggle' })
  })
})

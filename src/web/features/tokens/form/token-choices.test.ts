import { expect, test } from 'vitest'
import type { Instance } from '#shared/api/servers/instances.ts'
import type { Node } from '#shared/api/servers/nodes.ts'
import type { OperatingSystem } from '#shared/api/servers/operating-systems.ts'
import type { Template } from '#shared/api/servers/templates.ts'
import { placesOf } from '../../../widgets/cluster/places.ts'
import { instanceChoices, nodeChoices, systemChoices, templateChoices } from './token-choices.ts'

const one = placesOf([{ id: 1, name: 'Berlin' }])
const labels = (choices: { label: string }[]) => choices.slice(1).map(({ label }) => label)

test('only online nodes are offered, and the one chosen before', () => {
  const nodes = [
    { id: 1, name: 'pve1', status: 'online' },
    { id: 2, name: 'pve2', status: 'offline' },
  ] as Node[]
  expect(labels(nodeChoices(nodes, one))).toEqual(['pve1'])
  expect(labels(nodeChoices(nodes, one, '2'))).toEqual(['pve1', 'pve2 (offline)'])
})

test('nodes with the same name are told apart by their cluster', () => {
  const twins = [
    { id: 1, clusterId: 1, name: 'pve1', status: 'online' },
    { id: 2, clusterId: 2, name: 'pve1', status: 'online' },
  ] as Node[]
  const places = placesOf([
    { id: 1, name: 'Berlin' },
    { id: 2, name: 'Oslo' },
  ])
  expect(labels(nodeChoices(twins, places))).toEqual(['pve1 (Berlin)', 'pve1 (Oslo)'])
})

test('a node chosen before keeps its option while the list is loading, and when the node is gone', () => {
  expect(nodeChoices(undefined, one, '2').at(-1)).toEqual({ value: '2', label: 'Loading…' })
  expect(nodeChoices([], one, '2').at(-1)).toEqual({ value: '2', label: 'Node 2' })
  expect(labels(nodeChoices(undefined, one))).toEqual([])
})

test('only running instances without token and owner are offered', () => {
  const base = { status: 'running', tokenId: null, ownerId: null }
  const instances = [
    { ...base, id: 1, name: 'a', vmId: 101 },
    { ...base, id: 2, name: 'b', vmId: 102, status: 'stopped' },
    { ...base, id: 3, name: 'c', vmId: 103, tokenId: 7 },
    { ...base, id: 4, name: 'd', vmId: 104, ownerId: 7 },
  ] as Instance[]
  expect(labels(instanceChoices(instances))).toEqual(['a (101)'])
})

test('only active systems are offered, and the one chosen before', () => {
  const systems = [
    { name: 'Debian 12', isActive: true },
    { name: 'CentOS 8', isActive: false },
  ] as OperatingSystem[]
  expect(labels(systemChoices(systems))).toEqual(['Debian 12'])
  expect(labels(systemChoices(systems, 'CentOS 8'))).toEqual(['Debian 12', 'CentOS 8'])
})

test('a template of another node is kept', () => {
  const templates = [{ id: 5, name: 'debian-12', templateId: 9000 }] as Template[]
  expect(labels(templateChoices(templates, '5'))).toEqual(['debian-12 (9000)'])
  expect(labels(templateChoices(templates, '6'))).toEqual(['debian-12 (9000)', 'Template 6'])
})

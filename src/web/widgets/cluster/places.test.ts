import { expect, test } from 'vitest'
import { placesOf } from './places.ts'

const berlin = { id: 1, name: 'Berlin' }
const oslo = { id: 2, name: 'Oslo' }

test('with one cluster a node is called by its name', () => {
  const places = placesOf([berlin])
  expect(places.node({ clusterId: 1, name: 'pve1' })).toBe('pve1')
  expect(places.nodeOf({ clusterId: 1, node: { name: 'pve1' } })).toBe('pve1')
  expect(places.nodeOf({ clusterId: 1, node: null })).toBe('No node')
  expect(places.clusterOf(1)).toBeUndefined()
})

test('with two clusters the cluster is shown beside the node', () => {
  const places = placesOf([berlin, oslo])
  expect(places.node({ clusterId: 1, name: 'pve1' })).toBe('pve1 (Berlin)')
  expect(places.nodeOf({ clusterId: 2, node: { name: 'pve1' } })).toBe('pve1 (Oslo)')
  expect(places.nodeOf({ clusterId: 2, node: null })).toBe('No node (Oslo)')
  expect(places.clusterOf(9)).toBe('Cluster 9')
})

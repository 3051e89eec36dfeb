import { afterEach, describe, expect, test, vi } from 'vitest'
import { FAULT_KINDS, type Fault, type FaultKind } from '#pve-sim/faults/fault-board.ts'
import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { testApp } from '../../src/server/testing/test-app.ts'

/** The cluster still lists its VMs: actions fail, reads do not. */
const STILL_LISTS: FaultKind[] = [
  'task-error',
  'task-lost',
  'worker-dies',
  'node-offline',
  'no-quorum',
]

/**
 * Everything the operator's screens request, under every fault of a cluster. A black hole answers
 * when it is cleared and latency after half a minute: a route that waited for the cluster would not
 * answer before the test gives up.
 */
describe('while a cluster fails, the operator’s screens', async () => {
  const t = await testApp({ sim: { seed: 5, nodes: 2, vms: 300 } })
  const admin = t.as(await t.make.admin())
  const [node] = await admin.call(api.nodes.list)
  const [template] = await admin.call(api.templates.list)
  const all = await admin.call(api.instances.list)
  const of = (status: string) => all.filter((instance) => instance.status === status)
  const fresh = { running: of('running').values(), stopped: of('stopped').values() }
  /** An unused VM. */
  const take = (status: 'running' | 'stopped') => {
    const { value } = fresh[status].next()
    if (!value) throw new Error(`no ${status} VM is left`)
    return { params: { id: value.id } }
  }
  const ofNode = { params: { id: node?.id ?? 0 } }
  const ofTemplate = { params: { id: template?.id ?? 0 } }
  const ofCluster = { params: { id: t.cluster.id } }

  const looks: [Route, object][] = [
    [api.instances.list, {}],
    [api.nodes.list, {}],
    [api.nodes.templates, ofNode],
    [api.templates.list, {}],
    [api.clusters.list, {}],
    [api.clusters.state, {}],
    [api.stats.get, {}],
    [api.dashboard.clients, {}],
    [api.dashboard.attention, {}],
    [api.jobs.list, {}],
    [api.instances.status, { params: { id: all[0]?.id } }],
  ]
  const acts = (): [Route, object][] => [
    [api.instances.config, take('running')],
    [api.instances.metrics, take('running')],
    [api.instances.setConfig, { ...take('stopped'), body: { cores: 1 } }],
    [api.instances.start, take('stopped')],
    [api.instances.stop, take('running')],
    [api.instances.shutdown, take('running')],
    [api.instances.restart, take('running')],
    [api.nodes.metrics, ofNode],
    [api.nodes.sync, ofCluster],
    [api.templates.config, ofTemplate],
    [api.templates.setConfig, { ...ofTemplate, body: { cores: 1 } }],
    [api.clusters.diagnosis, ofCluster],
    [api.sync.proxmox, {}],
    [api.sync.instances, {}],
  ]
  const answersOf = (calls: [Route, object][]) =>
    Promise.all(
      calls.map(async ([route, input]) => {
        const { status, body } = await admin.attempt(route, input as never)
        return { what: `${route.method} ${route.path}`, status, code: body?.code, body }
      }),
    )

  afterEach(() => t.sim.faults.clear())

  test.each(FAULT_KINDS)('answer all the same: %s', { timeout: 120_000 }, async (kind) => {
    const { inventory } = t.deps.hypervisors.of(t.cluster.id)
    const before = await answersOf(looks)
    const fault: Fault = { kind, ms: 30_000, node: 'pve2' }
    t.sim.faults.add(fault)

    const acted = await answersOf(acts())
    const faults = acted.filter(
      ({ status, code }) => status >= 500 && code !== 'CLUSTER_UNAVAILABLE',
    )
    expect(faults).toEqual([])

    await inventory.refresh()
    const seen = await answersOf(looks)
    expect(seen.filter(({ status }) => status !== 200)).toEqual([])
    const counts = (answers: typeof seen) =>
      answers.map(({ body }) => (Array.isArray(body) ? body.length : undefined))
    // The lists keep their length; what needs attention and what is under way may grow.
    const lists = looks.findIndex(([route]) => route === api.clusters.state)
    expect(counts(seen).slice(0, lists)).toEqual(counts(before).slice(0, lists))
    const [cluster] = await admin.call(api.clusters.list)
    if (STILL_LISTS.includes(kind)) expect(cluster?.status).toBe('connected')
    else expect(cluster?.problem).toMatch(/^[A-Z].*[.?]$/)

    t.sim.faults.clear()
    if (kind === 'certificate-changed') {
      const tlsFingerprint = t.sim.fingerprint
      await admin.call(api.clusters.update, { ...ofCluster, body: { tlsFingerprint } })
    }
    const now = () => t.deps.hypervisors.of(t.cluster.id).inventory
    await vi.waitFor(
      async () => {
        await now().refresh()
        expect(now().view().failure).toBeUndefined()
      },
      { timeout: 30_000, interval: 50 },
    )
  })

  test('work again afterwards', async () => {
    const started = await admin.call(api.instances.start, take('stopped'))
    expect(['running', 'starting']).toContain(started.status)
    expect(await admin.call(api.clusters.state)).toEqual({ state: 'online' })
  })
})

import { asc, eq } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { clusters, nodes, templates } from '../../db/schema/infrastructure.ts'
import type { MetricsPeriod } from '../../hypervisor/port/hypervisor.ts'
import { liveNode } from '../../inventory/views/live-nodes.ts'
import { toMetricsPoint } from '../../inventory/views/metrics-view.ts'
import { templateRows } from '../../inventory/views/template-rows.ts'
import { answerOf } from '../../lib/async/patience.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type NodesDeps = Pick<Deps, 'db' | 'hypervisors' | 'sync' | 'log'> & { audit: Audit }

export function nodesService({ db, hypervisors, sync, audit, log }: NodesDeps) {
  const byId = async (id: number) => {
    const [row] = await db.select().from(nodes).where(eq(nodes.id, id))
    if (!row) throw notFound('Node')
    return row
  }

  return {
    async list() {
      const rows = await db.select().from(nodes).orderBy(asc(nodes.name), asc(nodes.id))
      return rows.map((row) => liveNode(row, hypervisors))
    },

    async templates(id: number) {
      const node = await byId(id)
      return await templateRows(db, eq(templates.nodeId, node.id))
    },

    async sync(actor: Actor, clusterId: number) {
      const [cluster] = await db.select().from(clusters).where(eq(clusters.id, clusterId))
      if (!cluster) throw notFound('Cluster')
      await sync.now(clusterId)
      const target = `cluster:${clusterId}`
      await db.transaction((tx) => audit.record(tx, actor, { action: 'sync', target }))
      return { message: 'Nodes synced successfully' }
    },

    async metrics(id: number, period: MetricsPeriod) {
      const { clusterId, name } = await byId(id)
      const points = hypervisors.of(clusterId).hypervisor.nodeMetrics(name, period)
      return (await answerOf(log, points)).map(toMetricsPoint)
    },
  }
}

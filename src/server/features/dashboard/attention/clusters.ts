import { asc } from 'drizzle-orm'
import { handsOut, poolsOf } from '../../../addresses/pool-rows.ts'
import { clusters, nodes } from '../../../db/schema/infrastructure.ts'
import { isCertificateProblem, isShutOut } from '../../../inventory/clusters/shut-out.ts'
import { liveNode } from '../../../inventory/views/live-nodes.ts'
import { type AttentionDeps, found, pathTo, plural, type Watch } from './watch.ts'

const named = async ({ db, hypervisors }: AttentionDeps) => {
  const rows = await db
    .select({ id: clusters.id, name: clusters.name })
    .from(clusters)
    .orderBy(asc(clusters.id))
  return rows.map((row) => ({ ...row, view: hypervisors.all().get(row.id)?.inventory.view() }))
}

const settingsOf = ({ id }: { id: number }) => `/clusters?settings=${id}`
const PROBLEMS = '/clusters?show=problems'

export const certificatesChanged: Watch = async (deps) => {
  const list = (await named(deps)).filter(({ view }) => isCertificateProblem(view?.failure))
  const message =
    list.length === 1
      ? `Cluster ${list[0]?.name} shows a certificate that nobody has confirmed`
      : `${list.length} clusters show certificates that nobody has confirmed`
  const path = pathTo(list, settingsOf, PROBLEMS)
  return found({ kind: 'certificates-changed', tone: 'bad', message, path }, list)
}

export const clustersRefusing: Watch = async (deps) => {
  const list = (await named(deps)).filter(
    ({ view }) => isShutOut(view?.failure) && !isCertificateProblem(view?.failure),
  )
  const message =
    list.length === 1
      ? `Cluster ${list[0]?.name} refuses the stored account`
      : `${list.length} clusters refuse the stored accounts`
  const path = pathTo(list, settingsOf, PROBLEMS)
  return found({ kind: 'clusters-refusing', tone: 'bad', message, path }, list)
}

export const clustersDown: Watch = async (deps) => {
  const list = (await named(deps)).filter(({ view }) => {
    if (isShutOut(view?.failure)) return false
    // A cluster that has not answered since the start does not count as down.
    return view === undefined || (view.health === 'offline' && view.failure !== undefined)
  })
  const message = `${plural(list.length, 'cluster does', 'clusters do')} not answer`
  const path = pathTo(list, settingsOf, PROBLEMS)
  return found({ kind: 'clusters-down', tone: 'bad', message, path }, list)
}

/** Without this row, only the pools show that a cluster has no range for clients yet. */
export const nothingToSell: Watch = async ({ db }) => {
  const rows = await db.select().from(clusters).orderBy(asc(clusters.id))
  const pools = await poolsOf(
    db,
    rows.map(({ id }) => id),
  )
  const list = rows.filter(
    ({ id }) => !pools.some((pool) => pool.clusterId === id && handsOut(pool)),
  )
  const message =
    list.length === 1
      ? `Nothing can be sold on cluster ${list[0]?.name}: no pool has a range for clients`
      : `Nothing can be sold on ${list.length} clusters: no pool has a range for clients`
  return found({ kind: 'no-network', tone: 'warn', message, path: '/pools' }, list)
}

export const nodesOffline: Watch = async ({ db, hypervisors }) => {
  const rows = await db.select().from(nodes)
  const list = rows.filter((row) => liveNode(row, hypervisors).status === 'offline')
  const message = `${plural(list.length, 'node is', 'nodes are')} offline`
  return found({ kind: 'nodes-offline', tone: 'bad', message, path: '/nodes?show=offline' }, list)
}

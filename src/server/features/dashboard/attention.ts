import { and, count, eq, gt, inArray, isNull, lte } from 'drizzle-orm'
import type { Attention } from '#shared/api/dashboard.ts'
import { DAY_MS } from '#shared/rules/durations.ts'
import { clusters, nodes } from '../../db/schema/infrastructure.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import type { Deps } from '../../deps.ts'
import { liveNode } from '../../inventory/live-nodes.ts'

/** Also when a client is warned to renew. */
const EXPIRING_DAYS = 7
const FAILED_DAYS = 7
/** Fewer on offer than this is little to choose from. */
const LOW_STOCK = 3

type AttentionDeps = Pick<Deps, 'db' | 'clock' | 'hypervisors'>

/** What waits for an operator, the most pressing first; nothing that does not. */
export async function attention(deps: AttentionDeps): Promise<Attention[]> {
  const found = [
    await clustersDown(deps),
    await nodesOffline(deps),
    await failedJobs(deps),
    await paidOrders(deps),
    await tokensExpiring(deps),
    await stockLow(deps),
  ]
  return found.filter((entry) => entry !== undefined)
}

const plural = (of: number, one: string, many: string) => (of === 1 ? `1 ${one}` : `${of} ${many}`)

async function clustersDown({ db, hypervisors }: AttentionDeps): Promise<Attention | undefined> {
  const rows = await db.select({ id: clusters.id, name: clusters.name }).from(clusters)
  const down = rows.filter(({ id }) => {
    const view = hypervisors.all().get(id)?.inventory.view()
    // Not heard yet since the start is not down.
    return view === undefined || (view.health === 'offline' && view.failure !== undefined)
  })
  if (down.length === 0) return undefined
  const message = `${plural(down.length, 'cluster does', 'clusters do')} not answer`
  return { kind: 'clusters-down', count: down.length, message, path: '/clusters' }
}

async function nodesOffline({ db, hypervisors }: AttentionDeps): Promise<Attention | undefined> {
  const rows = await db.select().from(nodes)
  const of = rows.filter((row) => liveNode(row, hypervisors).status === 'offline').length
  if (of === 0) return undefined
  const message = `${plural(of, 'node is', 'nodes are')} offline`
  return { kind: 'nodes-offline', count: of, message, path: '/nodes' }
}

async function failedJobs({ db, clock }: AttentionDeps): Promise<Attention | undefined> {
  const since = new Date(clock.now().getTime() - FAILED_DAYS * DAY_MS)
  const [row] = await db
    .select({ of: count() })
    .from(jobs)
    .where(and(eq(jobs.state, 'failed'), gt(jobs.updatedAt, since)))
  const of = row?.of ?? 0
  if (of === 0) return undefined
  const message = `${plural(of, 'job has', 'jobs have')} failed`
  return { kind: 'failed-jobs', count: of, message, path: '/admin-dashboard' }
}

async function paidOrders({ db }: AttentionDeps): Promise<Attention | undefined> {
  const [row] = await db.select({ of: count() }).from(orders).where(eq(orders.status, 'paid'))
  const of = row?.of ?? 0
  if (of === 0) return undefined
  const message = `${plural(of, 'paid order waits', 'paid orders wait')} to be provisioned`
  return { kind: 'paid-orders', count: of, message, path: '/orders' }
}

async function tokensExpiring({ db, clock }: AttentionDeps): Promise<Attention | undefined> {
  const now = clock.now()
  const soon = new Date(now.getTime() + EXPIRING_DAYS * DAY_MS)
  const [row] = await db
    .select({ of: count() })
    .from(tokens)
    .where(
      and(eq(tokens.status, 'assigned'), gt(tokens.expiresAt, now), lte(tokens.expiresAt, soon)),
    )
  const of = row?.of ?? 0
  if (of === 0) return undefined
  const message = `${plural(of, 'token expires', 'tokens expire')} within ${EXPIRING_DAYS} days`
  return { kind: 'tokens-expiring', count: of, message, path: '/tokens' }
}

async function stockLow({ db }: AttentionDeps): Promise<Attention | undefined> {
  const [row] = await db
    .select({ of: count() })
    .from(tokens)
    .where(and(inArray(tokens.status, ['ready', 'available']), isNull(tokens.assignedUserId)))
  const of = row?.of ?? 0
  if (of >= LOW_STOCK) return undefined
  const message =
    of === 0 ? 'Nothing is on offer' : `Only ${plural(of, 'token is', 'tokens are')} on offer`
  return { kind: 'stock-low', count: of, message, path: '/tokens' }
}

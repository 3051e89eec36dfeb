import { isIP } from 'node:net'
import { webhookUrlRefusal } from '#shared/rules/people/webhook-tries.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { clusters } from '../db/schema/infrastructure.ts'
import { type Reach, reachRefusal } from '../lib/net/guarded-call.ts'
import { isPublic } from '../lib/net/public-address.ts'

const NOT_PUBLIC = 'The address must be one of the internet.'

type ReachDeps = { db: Db; config: Pick<Config, 'webhookReach'> }

/**
 * Where webhooks may go: to the internet, and never to a cluster of ours, which may trust this
 * machine more than others. An operator whose clients are all trusted can allow what is inside.
 */
export async function webhookReach({ db, config }: ReachDeps): Promise<Reach> {
  const rows = await db.select({ addresses: clusters.ownAddresses }).from(clusters)
  const ofClusters = new Set(rows.flatMap(({ addresses }) => addresses))
  const isInsideAllowed = config.webhookReach === 'inside'
  return {
    allowsLoopback: isInsideAllowed,
    allowsPlainInside: isInsideAllowed,
    refuses: (address) => {
      const isRefused = ofClusters.has(address) || (!isInsideAllowed && !isPublic(address))
      return isRefused ? NOT_PUBLIC : undefined
    },
  }
}

/**
 * Why a webhook cannot have this address. A name is looked up only when it is called: until then it
 * may lead elsewhere, and asking would tell what names lead to inside.
 */
export async function addressRefusal(url: string, deps: ReachDeps): Promise<string | undefined> {
  const isInsideAllowed = deps.config.webhookReach === 'inside'
  const refusal = webhookUrlRefusal(url, { isInsideAllowed })
  if (refusal !== undefined) return refusal
  const { hostname, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0) return undefined
  return reachRefusal(host, protocol === 'http:', await webhookReach(deps))
}

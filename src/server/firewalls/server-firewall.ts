import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { type FirewallFault, faultForOperators } from '#shared/rules/network/firewall-faults.ts'
import { poolsOf } from '../addresses/pool-rows.ts'
import type { Db } from '../db/database.ts'
import { withLease } from '../db/lease.ts'
import { firewalls } from '../db/schema/firewalls.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { vmOf } from '../inventory/vm/instance-row.ts'
import type { JobDeps } from '../runtime/deps.ts'
import { type Wished, wishOf } from './wished-firewall.ts'

export type FirewallDeps = Pick<JobDeps, 'db' | 'clock' | 'hypervisors' | 'log'>

const CANNOT_BE_SET: readonly FirewallFault[] = ['not-ours', 'no-address', 'refused']
/** The cluster has something else than what is wished, and may take it the next time. */
const UNAPPLIED: readonly FirewallFault[] = ['differs', 'refused']

async function loadServer(db: Db, instanceId: number) {
  const [found] = await db
    .select({ instance: instances, token: tokens, firewall: firewalls })
    .from(instances)
    .leftJoin(tokens, eq(tokens.id, instances.tokenId))
    .leftJoin(firewalls, eq(firewalls.instanceId, instances.id))
    .where(eq(instances.id, instanceId))
  return found && { ...found, pools: await poolsOf(db, [found.instance.clusterId]) }
}

type Wanted = { isSet?: boolean; isMailOpen?: boolean }

/**
 * Sets the firewall of a server and reads it back; from now on it is kept so. A cluster that does
 * not allow it is no reason to refuse the server: it is listed as unprotected.
 */
export const setFirewall = (
  deps: FirewallDeps,
  instanceId: number,
  change: { isMailOpen?: boolean } = {},
): Promise<FirewallFault[]> =>
  inFirewallTurn(deps, instanceId, () =>
    writeFirewall(deps, instanceId, { isSet: true, ...change }),
  )

/** Looks at the firewall of a server, and sets it again where it is ours to keep. */
export const checkFirewall = (deps: FirewallDeps, instanceId: number): Promise<FirewallFault[]> =>
  inFirewallTurn(deps, instanceId, () => writeFirewall(deps, instanceId, {}))

/** One at a time, over all processes: two writers would mix their rules. */
export const inFirewallTurn = <T>(
  deps: Pick<FirewallDeps, 'db' | 'log'>,
  instanceId: number,
  work: () => Promise<T>,
): Promise<T> =>
  withLease(
    deps,
    {
      key: `firewall:${instanceId}`,
      holder: randomUUID(),
      busy: 'The firewall of this server is just being set. Try again in a moment.',
    },
    work,
  )

/** What is wished now becomes what the cluster has. The caller has the turn. */
export async function writeFirewall(
  deps: FirewallDeps,
  instanceId: number,
  wanted: Wanted,
): Promise<FirewallFault[]> {
  const { db, clock } = deps
  const server = await loadServer(db, instanceId)
  if (!server) return []
  const isSet = wanted.isSet ?? server.firewall?.isKept ?? false
  const isMailOpen = wanted.isMailOpen ?? server.firewall?.isMailOpen ?? false
  const faults = await faultsOf(deps, { ...server, isMailOpen, now: clock.now() }, isSet)
  const failed = faults.filter((fault) => CANNOT_BE_SET.includes(fault))
  if (wanted.isMailOpen !== undefined && failed.length > 0) {
    throw new AppError('INVALID_STATE', failed.map(faultForOperators).join(' '))
  }
  const isApplied = !isSet || !faults.some((fault) => UNAPPLIED.includes(fault))
  // Only what this call was asked to change: an operator may have changed the rest meanwhile.
  const seen = {
    faults,
    checkedAt: clock.now(),
    ...(isSet ? { isKept: true } : {}),
    ...(wanted.isMailOpen === undefined ? {} : { isMailOpen }),
  }
  const version = server.firewall?.version ?? 0
  await db
    .insert(firewalls)
    .values({ instanceId, ...seen })
    .onConflictDoUpdate({
      target: firewalls.instanceId,
      set: {
        ...seen,
        // What is wished may have changed during the write: then there is still something to do.
        ...(isApplied && {
          appliedVersion: sql`greatest(${firewalls.appliedVersion}, ${version})`,
        }),
      },
    })
  return faults
}

async function faultsOf(
  { db, hypervisors }: FirewallDeps,
  server: Wished,
  isSet: boolean,
): Promise<FirewallFault[]> {
  const { instance } = server
  if (instance.marker === null) return ['not-ours']
  const wish = wishOf(server)
  if (!wish) return ['no-address']
  const { hypervisor } = hypervisors.of(instance.clusterId)
  const vm = await vmOf(db, instance)
  try {
    return isSet
      ? await hypervisor.setFirewall(vm, wish)
      : await hypervisor.firewallFaults(vm, wish)
  } catch (error) {
    if (error instanceof AppError && error.code === 'CLUSTER_REFUSED') return ['refused']
    throw error
  }
}

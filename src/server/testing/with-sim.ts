import { eq } from 'drizzle-orm'
import type { SimOptions } from '#pve-sim/options.ts'
import { type Sim, startSim } from '#pve-sim/sim.ts'
import type { ClusterSettings } from '#shared/api/servers/clusters.ts'
import { AppError } from '#shared/errors.ts'
import { sweepAddresses } from '../addresses/settle-addresses.ts'
import type { Db } from '../db/database.ts'
import { pools } from '../db/schema/addresses.ts'
import { clusters } from '../db/schema/infrastructure.ts'
import {
  type ClusterRow,
  connectionColumns,
  PLAIN_SETTINGS,
} from '../inventory/clusters/cluster-store.ts'
import type { Deps } from '../runtime/deps.ts'
import { createKeyring } from '../secrets/keyring.ts'
import { guideCommands, pveum } from './pveum.ts'

const SYNC_TRIES = 5

/** A simulated cluster with short task times. */
export const startTestSim = (options: SimOptions = {}): Promise<Sim> =>
  startSim({ taskMs: 5, authDelayMs: 0, lagMs: 0, ...options })

type PoolValues = Omit<typeof pools.$inferInsert, 'clusterId'>

/** Where the tests' tokens have their addresses. */
export const TEST_POOL: PoolValues = {
  name: 'Test',
  family: 4,
  cidr: '203.0.113.0/24',
  gateway: '203.0.113.1',
  bridge: 'vmbr0',
  nameservers: ['9.9.9.9'],
  searchDomain: 'test.example',
  ranges: [{ first: '203.0.113.2', last: '203.0.113.254' }],
}

const clusterSettings = { ...PLAIN_SETTINGS, storage: 'ceph-vm' }

/** Stores a row for this simulator in a database that no process has opened yet. */
export async function storeSimCluster(db: Db, sim: Sim, secretKey: string): Promise<void> {
  const { host, port, apiToken, fingerprint, certPem: pem } = sim
  const connection = { host, port, username: apiToken.id, secret: apiToken.secret }
  const uid = `sim-${port}`
  const certificate = { fingerprint, pem }
  const columns = connectionColumns({ ...connection, certificate }, uid, createKeyring(secretKey))
  const values = { ...columns, uid, name: 'Test', settings: clusterSettings }
  const [row] = await db.insert(clusters).values(values).returning({ id: clusters.id })
  if (!row) throw new Error('no cluster was stored')
  await db.insert(pools).values({ ...TEST_POOL, clusterId: row.id })
}

export type SimCluster = {
  name?: string
  /** Root's token by default. */
  account?: { username: string; secret: string }
  settings?: Partial<ClusterSettings>
  pool?: Partial<PoolValues>
}

/**
 * The account that the operator guide creates, by its own commands, with a template in its pool. An
 * operator would enter the name of an existing storage.
 */
export function guideAccount(
  sim: Sim,
  storage = 'ceph-vm',
): Required<Pick<SimCluster, 'account' | 'settings'>> {
  // The demo's own account has roles with these names; a fresh cluster has none.
  for (const role of [...sim.state.roles.keys()]) {
    if (role.startsWith('Vps')) sim.state.roles.delete(role)
  }
  const commands = guideCommands(sim.state.version)
  const secrets = pveum(
    sim,
    commands.map((line) => line.replaceAll('local-lvm', storage)),
  )
  pveum(sim, ['pveum pool modify hushbox --vms 9004'])
  const username = 'hushbox@pve!panel'
  const account = { username, secret: secrets.get(username) ?? '' }
  return { account, settings: { ...clusterSettings, pool: 'hushbox', storage } }
}

/** Stores a cluster row for this simulator, connects it and reads its inventory. */
export async function addSimCluster(
  deps: Deps,
  sim: Sim,
  { name = 'Test', account, settings, pool }: SimCluster = {},
): Promise<ClusterRow> {
  const uid = `sim-${sim.port}`
  const { host, port, apiToken, fingerprint, certPem: pem } = sim
  const who = account ?? { username: apiToken.id, secret: apiToken.secret }
  const connection = { host, port, ...who }
  const [stored] = await deps.db
    .insert(clusters)
    .values({
      ...connectionColumns({ ...connection, certificate: { fingerprint, pem } }, uid, deps.keyring),
      uid,
      name,
      settings: { ...clusterSettings, ...settings },
    })
    .returning()
  if (!stored) throw new Error('no cluster was stored')
  await deps.db.insert(pools).values({ ...TEST_POOL, ...pool, clusterId: stored.id })
  await deps.links.refresh()
  await untilSynced(deps, stored.id)
  const [row] = await deps.db.select().from(clusters).where(eq(clusters.id, stored.id))
  if (!row) throw new Error('the cluster is gone')
  return row
}

/** As if the operator had looked at the simulator's new certificate and accepted it. */
export async function acceptCertificate(
  deps: Deps,
  { id, uid }: Pick<ClusterRow, 'id' | 'uid'>,
  { host, port, apiToken, fingerprint, certPem: pem }: Sim,
): Promise<void> {
  const connection = { host, port, username: apiToken.id, secret: apiToken.secret }
  const certificate = { fingerprint, pem }
  const columns = connectionColumns({ ...connection, certificate }, uid ?? '', deps.keyring)
  await deps.db.update(clusters).set(columns).where(eq(clusters.id, id))
  await deps.links.refresh()
}

/** Gives the cluster other addresses, or takes its pool away. */
export async function usePool(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { id: clusterId }: { id: number },
  pool: Partial<PoolValues> | undefined,
): Promise<void> {
  await db.delete(pools).where(eq(pools.clusterId, clusterId))
  if (pool) await db.insert(pools).values({ ...TEST_POOL, ...pool, clusterId })
  await sweepAddresses(db, { clusterId, now: clock.now() })
}

/** A page gives up quickly; on a busy machine the test retries. */
async function untilSynced({ hypervisors, sync }: Pick<Deps, 'hypervisors' | 'sync'>, id: number) {
  for (let tries = 1; ; tries += 1) {
    await hypervisors.of(id).inventory.refresh()
    try {
      return await sync.now(id)
    } catch (error) {
      const isSlow = error instanceof AppError && error.code === 'CLUSTER_UNAVAILABLE'
      if (!isSlow || tries === SYNC_TRIES) throw error
    }
  }
}

import { eq } from 'drizzle-orm'
import type { ClusterSettings } from '#shared/api/servers/clusters.ts'
import { pools } from '../db/schema/addresses.ts'
import { clusters } from '../db/schema/infrastructure.ts'
import type { ClusterConnection } from '../hypervisor/connect/connection.ts'
import {
  connectionColumns,
  connectionOf,
  PLAIN_SETTINGS,
} from '../inventory/clusters/cluster-store.ts'
import type { Deps } from '../runtime/deps.ts'

export type DemoCluster = {
  /** Where the simulated cluster of a first run listens. */
  connection: ClusterConnection
  /** Whether its new servers are real guests on this machine. */
  isReal: boolean
}

/** Identifies the row of the demo, whatever its name is by now. */
const UID = 'demo'

/**
 * Real guests have addresses of this machine, which are forwarded to them; pretended ones have
 * addresses that are reserved for documentation.
 */
const networkOf = ({ isReal }: DemoCluster) => (isReal ? '127.77.0' : '203.0.113')

const poolFor = (network: string) => ({
  name: 'Demo addresses',
  family: 4 as const,
  cidr: `${network}.0/24`,
  gateway: `${network}.1`,
  bridge: 'vmbr0',
  nameservers: ['9.9.9.9', '1.1.1.1'],
  searchDomain: 'hushbox.example',
  ranges: [{ first: `${network}.10`, last: `${network}.250` }],
})

const SETTINGS: ClusterSettings = {
  ...PLAIN_SETTINGS,
  vmIdRange: { first: 1000, last: 8999 },
  pool: 'vps',
  storage: 'ceph-vm',
}

/** Stores the demo cluster as a row like any other. It listens on another port at each start. */
export async function storeDemoCluster(
  { db, keyring }: Pick<Deps, 'db' | 'keyring'>,
  demo: DemoCluster,
): Promise<number> {
  const { connection } = demo
  return await db.transaction(async (tx) => {
    const [row] = await tx.select().from(clusters).where(eq(clusters.uid, UID)).for('update')
    if (row && isSame(connectionOf(row, keyring), connection)) return row.id
    const columns = connectionColumns(connection, UID, keyring)
    if (row) {
      await tx.update(clusters).set(columns).where(eq(clusters.id, row.id))
      return row.id
    }
    const others = await tx.select({ id: clusters.id }).from(clusters).limit(1)
    const [made] = await tx
      .insert(clusters)
      .values({
        ...columns,
        uid: UID,
        name: 'Demo cluster',
        isDefault: others.length === 0,
        settings: SETTINGS,
      })
      .returning({ id: clusters.id })
    if (!made) throw new Error('the demo cluster was not stored')
    await tx.insert(pools).values({ ...poolFor(networkOf(demo)), clusterId: made.id })
    return made.id
  })
}

const isSame = (a: ClusterConnection, b: ClusterConnection): boolean =>
  a.host === b.host &&
  a.port === b.port &&
  a.username === b.username &&
  a.secret === b.secret &&
  a.certificate?.fingerprint === b.certificate?.fingerprint

import { asc, eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { api } from '#shared/api/index.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { backups } from '../../db/schema/snapshots.ts'
import type { Person, SimApp } from '../../testing/test-app.ts'
import { openReinstalls, type SoldServer } from './reinstalls.ts'
import type { Shop } from './shop.ts'

type Db = SimApp['db']

/** The operator's choice, as the form stores it. */
export async function chooseBackupStorage(db: Db, backupStorage: string | null): Promise<void> {
  for (const { id, settings } of await db.select().from(clusters)) {
    const chosen = { ...settings, backupStorage }
    await db.update(clusters).set({ settings: chosen }).where(eq(clusters.id, id))
  }
}

/** As if it was sold with a package that has this many backups. */
async function grantBackups(db: Db, tokenId: number, backupLimit: number): Promise<void> {
  const id = `backups-${backupLimit}`
  const size = { cpu: '2 CPU', ram: '2 GB RAM', storage: '20 GB SSD' }
  await db
    .insert(packages)
    .values({ id, name: 'Small', ...size, priceCents: 500, osOptions: [], backupLimit })
    .onConflictDoNothing()
  await db.update(orders).set({ planId: id }).where(eq(orders.tokenId, tokenId))
}

type Reinstalls = Awaited<ReturnType<typeof openReinstalls>>

/** Servers with backups, and jobs that run when the test says so. */
export async function openBackups(t: SimApp) {
  const our = await openReinstalls(t)
  await chooseBackupStorage(t.db, 'local')
  return {
    ...our,
    async server(limit = 2, owner?: SoldServer['user']): Promise<SoldServer> {
      const server = await our.server(owner)
      await grantBackups(t.db, server.tokenId, limit)
      return server
    },
    /** Sold without a package. */
    bareServer: our.server,
    ...backupCalls(t, our),
  }
}

type Wish = { confirm?: string; as?: 'new' | 'same'; into?: number }

/** What is done with the backups of servers. */
export function backupCalls(t: SimApp, { hand }: Pick<Reinstalls, 'hand'>) {
  const rows = ({ id }: SoldServer) =>
    t.db.select().from(backups).where(eq(backups.instanceId, id)).orderBy(asc(backups.id))
  const ask = (who: Person, { id }: SoldServer, name?: string) =>
    t.as(who).attempt(api.backups.make, { params: { id }, body: name ? { name } : {} })
  const askRestore = (
    who: Person,
    server: SoldServer,
    backupId: number,
    { confirm = server.name, as = 'same', into }: Wish = {},
  ) =>
    t.as(who).attempt(api.backups.restore, {
      params: { id: server.id, backupId },
      body: { as, confirm, ...(into !== undefined && { into }) },
    })
  const askDelete = (who: Person, { id }: SoldServer, backupId: number) =>
    t.as(who).attempt(api.backups.remove, { params: { id, backupId } })

  return {
    rows,
    ask,
    askRestore,
    askDelete,
    list: ({ id, user }: SoldServer) => t.as(user).call(api.backups.list, { params: { id } }),
    /** What the cluster has. */
    inCluster: ({ vmId }: SoldServer) =>
      [...t.sim.state.volumes.values()].filter(
        ({ content, vmid }) => content === 'backup' && vmid === vmId,
      ),

    /** Makes one, to its end; its row. */
    async make(server: SoldServer) {
      const answer = await ask(server.user, server)
      expect(answer).toMatchObject({ status: 202 })
      await hand.runToEnd(answer.body.jobId)
      const row = (await rows(server)).at(-1)
      if (!row) throw new Error('no backup was stored')
      return row
    },

    async begin(answer: Promise<{ status: number; body: { jobId: string } }>) {
      const { status, body } = await answer
      expect(status).toBe(202)
      return body.jobId
    },
  }
}

/** The operator's choices for a server: a storage, by the call of the form, and a package. */
export async function allowBackups(db: Db, { admin }: Shop, id: number): Promise<void> {
  const { tokenId } = await admin.call(api.servers.get, { params: { id } })
  await grantBackups(db, tokenId ?? 0, 2)
  for (const { id: clusterId, settings } of await admin.call(api.clusters.list, {})) {
    const body = { settings: { ...settings, backupStorage: 'local' } }
    await admin.call(api.clusters.update, { params: { id: clusterId }, body })
  }
}

type OnServer = { params: { id: number }; body: object }

/** Makes a backup of a server of the shop: what a call about that backup is made with. */
export async function aBackup(db: Db, shop: Shop, { params, body }: OnServer) {
  await allowBackups(db, shop, params.id)
  const { admin, ended } = shop
  await ended((await admin.call(api.backups.make, { params, body: {} })).jobId)
  const { backups: made } = await admin.call(api.backups.list, { params })
  return { params: { ...params, backupId: made[0]?.id ?? 0 }, body: { ...body, as: 'same' } }
}

type Asking = {
  server(): Promise<SoldServer>
  ask(who: Person, server: SoldServer): Promise<{ status: number; body: { jobId: string } }>
  begin(answer: ReturnType<Asking['ask']>): Promise<string>
}

/** A backup of each of two servers, of which only one is made at a time. */
export async function askTwo(our: Asking) {
  const [first, second] = [await our.server(), await our.server()]
  const firstJob = await our.begin(our.ask(first.user, first))
  const secondJob = await our.begin(our.ask(second.user, second))
  return { first, second, firstJob, secondJob }
}

import { asc, eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { api } from '#shared/api/index.ts'
import { snapshots } from '../../db/schema/snapshots.ts'
import type { Person, SimApp } from '../../testing/test-app.ts'
import { openReinstalls, type SoldServer } from './reinstalls.ts'
import type { Shop } from './shop.ts'

type Wish = { name?: string; days?: number }

/** Servers with snapshots, and jobs that run when the test says so. */
export async function openSnapshots(t: SimApp) {
  const our = await openReinstalls(t)
  const { hand, vmOf } = our

  const rows = ({ id }: SoldServer) =>
    t.db.select().from(snapshots).where(eq(snapshots.instanceId, id)).orderBy(asc(snapshots.id))
  const ask = (who: Person, { id }: SoldServer, body: Wish = {}) =>
    t.as(who).attempt(api.snapshots.take, { params: { id }, body })
  const askBack = (who: Person, server: SoldServer, snapshotId: number, confirm = server.name) =>
    t.as(who).attempt(api.snapshots.rollBack, {
      params: { id: server.id, snapshotId },
      body: { confirm },
    })
  const askDelete = (who: Person, { id }: SoldServer, snapshotId: number) =>
    t.as(who).attempt(api.snapshots.remove, { params: { id, snapshotId } })

  return {
    ...our,
    rows,
    askTake: ask,
    askBack,
    askDelete,
    list: ({ id, user }: SoldServer) => t.as(user).call(api.snapshots.list, { params: { id } }),
    /** What the cluster has. */
    inCluster: (server: SoldServer) => (vmOf(server).snapshots ?? []).map(({ name }) => name),

    /** Takes one, to its end; its row. */
    async take(server: SoldServer, body: Wish = {}) {
      const answer = await ask(server.user, server, body)
      expect(answer).toMatchObject({ status: 202 })
      await hand.runToEnd(answer.body.jobId)
      const row = (await rows(server)).at(-1)
      if (!row) throw new Error('no snapshot was stored')
      return row
    },

    /** Begins a rollback: the job. */
    async beginBack(server: SoldServer, snapshotId: number) {
      const answer = await askBack(server.user, server, snapshotId)
      expect(answer).toMatchObject({ status: 202 })
      return answer.body.jobId
    },

    async beginDelete(server: SoldServer, snapshotId: number) {
      const answer = await askDelete(server.user, server, snapshotId)
      expect(answer).toMatchObject({ status: 202 })
      return answer.body.jobId
    },
  }
}

type OnServer = { params: { id: number }; body: object }

/** Takes a snapshot of a server of the shop: what a call about that snapshot is made with. */
export async function aSnapshot({ admin, ended }: Shop, { params, body }: OnServer) {
  await ended((await admin.call(api.snapshots.take, { params, body: {} })).jobId)
  const { snapshots: taken } = await admin.call(api.snapshots.list, { params })
  return { params: { ...params, snapshotId: taken[0]?.id ?? 0 }, body }
}

import { and, eq, ne, or } from 'drizzle-orm'
import { z } from 'zod'
import { AppError, notFound } from '#shared/errors.ts'
import { settleVm } from '../../addresses/settle-addresses.ts'
import type { Db } from '../../db/database.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { instanceRows } from '../../inventory/views/instance-rows.ts'
import { defineJob } from '../../jobs/job-definition.ts'
import { dropArchivesOf } from '../../provisioning/lifecycle/left-archives.ts'
import type { Deps } from '../../runtime/deps.ts'

type RemoveDeps = Pick<Deps, 'db' | 'events' | 'clock' | 'hypervisors'>

/**
 * Fails if the instance is in use: a client has it, or a token sells it (I8). One that has ended
 * and is only kept may be removed early.
 */
export async function requireUnused(tx: Db, id: number, ownerId: number | null): Promise<void> {
  const [token] = await tx
    .select({ id: tokens.id, name: tokens.name, ownerId: tokens.assignedUserId })
    .from(tokens)
    .where(
      and(
        or(eq(tokens.instanceId, id), eq(tokens.assignedInstanceId, id)),
        ne(tokens.status, 'cancelled'),
      ),
    )
    .limit(1)
  if (token?.ownerId === null) {
    const call = `DELETE /api/tokens/${token.id}`
    throw new AppError('IN_USE', `The token ${token.name} sells this VM. Delete it first: ${call}.`)
  }
  const isKept = !token && ownerId !== null && (await hasEnded(tx, id))
  if (token || (ownerId !== null && !isKept)) {
    const call = `POST /api/instances/${id}/end`
    throw new AppError('IN_USE', `A client has this server. End it instead: ${call}.`)
  }
}

async function hasEnded(tx: Db, instanceId: number): Promise<boolean> {
  const [token] = await tx
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(eq(tokens.assignedInstanceId, instanceId), eq(tokens.status, 'cancelled')))
    .limit(1)
  return token !== undefined
}

/**
 * Destroys the VM an admin has named, then deletes the record. A VM that we made must still carry
 * our marker; one that was made elsewhere must still have the name the admin has typed.
 */
export function destroyJob({ db, events, clock, hypervisors }: RemoveDeps) {
  const rowOf = async (instanceId: number) =>
    (await instanceRows(db, eq(instances.id, instanceId)))[0]

  const write = (work: (tx: Db) => Promise<unknown>) =>
    db.transaction(async (tx) => {
      await work(tx)
      await events.emit(tx, 'admins', { type: 'changed', nouns: ['instances'] })
    })

  return defineJob({
    kind: 'destroy-instance',
    input: z.object({ instanceId: z.number().int(), name: z.string() }),
    title: ({ name }) => `Delete ${name}`,
    steps: [
      {
        name: 'destroy',
        async run({ input }) {
          const row = await rowOf(input.instanceId)
          if (!row) return { left: 'alone' }
          const { hypervisor } = hypervisors.of(row.clusterId)
          const { vmId, marker, uuid } = row
          const place = { vmId, node: row.nodeName ?? undefined }
          await dropArchivesOf({ db, hypervisors }, row.id)
          const proof = marker === null ? { name: input.name } : { marker, uuid: uuid ?? undefined }
          try {
            await hypervisor.destroy({ ...place, ...proof })
            return { left: 'destroyed' }
          } catch (error) {
            // Another VM has the id by now. Ours is gone, and the other one is left alone.
            if (error instanceof AppError && error.code === 'VM_MISSING') return { left: 'alone' }
            throw error
          }
        },
        undo: ({ input }) =>
          write((tx) =>
            tx
              .update(instances)
              .set({ status: 'unknown' })
              .where(and(eq(instances.id, input.instanceId), eq(instances.status, 'deleting'))),
          ),
      },
      {
        name: 'forget',
        run: ({ input }) =>
          write(async (tx) => {
            const gone = eq(instances.id, input.instanceId)
            const rows = await tx.delete(instances).where(gone).returning()
            for (const row of rows) await settleVm(tx, row, clock.now())
          }),
      },
    ],
  })
}

/** Locked before the instance, as everywhere: a token that is restored meanwhile keeps its VM. */
export const lockTokensOf = (tx: Db, instanceId: number) =>
  tx
    .select({ id: tokens.id })
    .from(tokens)
    .where(or(eq(tokens.instanceId, instanceId), eq(tokens.assignedInstanceId, instanceId)))
    .orderBy(tokens.id)
    .for('update')

export async function lockedRow(tx: Db, id: number) {
  const [row] = await tx.select().from(instances).where(eq(instances.id, id)).for('update')
  if (!row) throw notFound('Instance')
  return row
}

import { desc, eq } from 'drizzle-orm'
import { api } from '#shared/api/index.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { handovers } from '../../db/schema/handovers.ts'
import type { Person, SimApp } from '../../testing/test-app.ts'
import { openReinstalls, type SoldServer } from './reinstalls.ts'

export const INVALID = {
  status: 422,
  body: { code: 'INVALID_TRANSFER_CODE', message: 'This code is not valid. Ask for a new one.' },
}

/** Servers to hand over, with jobs that run when the test says so. */
export async function openHandovers(t: SimApp) {
  const our = await openReinstalls(t)

  const offer = (who: Person, { id }: Pick<SoldServer, 'id'>) =>
    t.as(who).attempt(api.servers.offer, { params: { id } })
  const codeFor = async (server: SoldServer): Promise<string> => {
    const { status, body } = await offer(server.user, server)
    if (status !== 201) throw new Error(`no code: ${body.message}`)
    return body.code
  }
  const take = (who: Person, code: string, sshKeyIds?: number[]) =>
    t.as(who).attempt(api.client.takeOver, { params: { code }, body: { sshKeyIds } })

  return {
    ...our,
    offer,
    codeFor,
    take,
    withdraw: (who: Person, { id }: SoldServer) =>
      t.as(who).attempt(api.servers.withdrawOffer, { params: { id } }),

    /** A server that another account has taken over; its job has not run yet. */
    async taken(sshKeyIds?: (receiver: Person) => Promise<number[]>) {
      const server = await our.server()
      const receiver = await t.make.client()
      const { body } = await take(receiver, await codeFor(server), await sshKeyIds?.(receiver))
      return { server, receiver, mine: { ...server, user: receiver }, jobId: body.jobId }
    },

    page: (who: Person, { id }: SoldServer) => t.as(who).call(api.servers.get, { params: { id } }),

    /** Its jobs that have not ended. */
    jobsOf: async ({ id }: SoldServer) =>
      (await our.hand.waiting()).filter(({ subject }) => subject === `instance:${id}`),

    async handover({ id }: SoldServer) {
      const rows = await t.db
        .select()
        .from(handovers)
        .where(eq(handovers.instanceId, id))
        .orderBy(desc(handovers.id))
      return rows[0]
    },

    /** What the log has about a server, newest first. */
    logOf: ({ id }: SoldServer) =>
      t.db
        .select({
          action: auditLog.action,
          actorId: auditLog.actorId,
          subjectId: auditLog.subjectId,
        })
        .from(auditLog)
        .where(eq(auditLog.target, `instance:${id}`))
        .orderBy(desc(auditLog.id)),
  }
}

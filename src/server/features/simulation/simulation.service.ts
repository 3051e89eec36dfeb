import { eq } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import { simulateRefusal } from '#shared/rules/people/simulation.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { users } from '../../db/schema/accounts.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { Sessions } from '../../sessions/sessions.ts'

type SimulationDeps = Pick<Deps, 'db'> & { sessions: Sessions; audit: Audit }

export function simulationService({ db, sessions, audit }: SimulationDeps) {
  return {
    /** The admin's session simulates a client, under a new token, for half an hour (A6). */
    start: (actor: Actor, userId: number) =>
      db.transaction(async (tx) => {
        const [client] = await tx.select().from(users).where(eq(users.id, userId)).for('share')
        if (!client) throw notFound('User')
        const refusal = simulateRefusal(client)
        if (refusal !== undefined) throw new AppError('INVALID_STATE', refusal)
        const session = await sessions.rotate(tx, actor.sessionId, { userId })
        await audit.record(tx, actor, { action: 'simulation.start', target: `user:${userId}` })
        const { id, username, email } = client
        return { session, simulatingUser: { id, username, email } }
      }),

    end: (actor: Actor) =>
      db.transaction(async (tx) => {
        const session = await sessions.rotate(tx, actor.sessionId, undefined)
        await audit.record(tx, actor, {
          action: 'simulation.end',
          target: `user:${actor.user.id}`,
        })
        return session
      }),
  }
}

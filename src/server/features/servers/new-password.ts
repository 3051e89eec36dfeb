import type { Audit } from '../../audit/audit-log.ts'
import { holdServer } from '../../provisioning/hold/hold-server.ts'
import type { PasswordJob } from '../../provisioning/new-password/password-job.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { lockServer } from './locked-server.ts'
import type { ViewDeps } from './server-view.ts'

export type PasswordDeps = ViewDeps &
  Pick<Deps, 'db' | 'events' | 'jobs'> & { audit: Audit; password: PasswordJob }

/** Gives a server another random password, for its owner and for operators. */
export function newPassword(deps: PasswordDeps) {
  const { db, clock, events, jobs, audit, password: job } = deps

  return (actor: Actor, id: number): Promise<{ jobId: string }> =>
    db.transaction(async (tx) => {
      const { token, ownerId, name } = await lockServer(tx, { actor, id, act: 'password' }, deps)
      const input = await holdServer(tx, { id, tokenId: token.id, name }, clock.now())
      const jobId = await jobs.enqueue(tx, job, input, ownerId === null ? {} : { ownerId })
      await publishTokenChange(tx, events, ownerId)
      await audit.record(tx, actor, { action: 'instance.password', target: `instance:${id}` })
      return { jobId }
    })
}

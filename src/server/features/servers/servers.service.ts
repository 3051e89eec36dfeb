import type { z } from 'zod'
import type { ServerChange } from '#shared/api/overview/servers.ts'
import { AppError } from '#shared/errors.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { instanceFor } from '../../inventory/views/instance-rows.ts'
import { vmAddress } from '../../inventory/vm/vm-marker.ts'
import { answerOf } from '../../lib/async/patience.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { newPassword, type PasswordDeps } from './new-password.ts'
import { type ReinstallDeps, reinstallServer } from './reinstall-server.ts'
import { renameServer } from './rename-server.ts'
import { serverActivity } from './server-activity.ts'
import { createServerRows } from './server-row.ts'
import { serverView } from './server-view.ts'

type ServersDeps = Pick<
  Deps,
  'db' | 'clock' | 'config' | 'random' | 'keyring' | 'events' | 'jobs' | 'hypervisors' | 'log'
> &
  Pick<ReinstallDeps, 'reinstall'> &
  Pick<PasswordDeps, 'password'> & { audit: Audit }

/** One server, for its owner and for operators. */
export function serversService(deps: ServersDeps) {
  const { db, hypervisors, log } = deps
  const rename = renameServer(deps)
  const { preview, begin } = reinstallServer(deps)
  const rowOf = createServerRows(db)
  const get = async (actor: Actor, id: number) => serverView(await rowOf(actor, id), actor, deps)

  return {
    get,

    async change(actor: Actor, id: number, change: z.output<typeof ServerChange>) {
      await rename(actor, id, change)
      return await get(actor, id)
    },

    activity: (actor: Actor, id: number, page: Parameters<typeof serverActivity>[3]) =>
      serverActivity(db, actor, id, page),

    reinstallPreview: preview,
    reinstall: begin,
    newPassword: newPassword(deps),

    async proxmoxConfig(actor: Actor, id: number) {
      const row = await instanceFor(db, actor, id)
      if (row.missingSince !== null) {
        throw new AppError('VM_MISSING', 'The cluster no longer has this VM.')
      }
      const { hypervisor } = hypervisors.of(row.clusterId)
      return await answerOf(log, hypervisor.rawConfig(vmAddress(row)))
    },
  }
}

import type { z } from 'zod'
import type { ServerChange } from '#shared/api/overview/servers.ts'
import { AppError } from '#shared/errors.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { instanceFor } from '../../inventory/views/instance-rows.ts'
import { vmAddress } from '../../inventory/vm/vm-marker.ts'
import { answerOf } from '../../lib/async/patience.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { type BackupDeps, backupServer } from './backup-server.ts'
import { type CdDeps, cdServer } from './cd-server.ts'
import { firewallServer } from './firewall-server.ts'
import { newPassword, type PasswordDeps } from './new-password.ts'
import { offerServer } from './offer-server.ts'
import { type ReinstallDeps, reinstallServer } from './reinstall-server.ts'
import { renameServer } from './rename-server.ts'
import { scheduleServer } from './schedule-server.ts'
import { serverActivity } from './server-activity.ts'
import { createServerReads, requireVisible, type ServerRow, serverRow } from './server-row.ts'
import { serverView } from './server-view.ts'
import { type SnapshotDeps, snapshotServer } from './snapshot-server.ts'

type ServersDeps = Pick<
  Deps,
  | 'db'
  | 'clock'
  | 'random'
  | 'config'
  | 'keyring'
  | 'events'
  | 'jobs'
  | 'hypervisors'
  | 'background'
  | 'log'
> &
  Pick<ReinstallDeps, 'reinstall'> &
  Pick<PasswordDeps, 'password'> &
  Pick<BackupDeps, 'backup' | 'restore' | 'deleteBackup'> &
  Pick<SnapshotDeps, 'snapshot' | 'rollback' | 'deleteSnapshot'> &
  Pick<CdDeps, 'insertCd' | 'takeCdOut' | 'probeIso'> & {
    audit: Audit
    sessions: Pick<Sessions, 'resolveWith'>
  }

/** One server, for its owner and for operators. */
export function serversService(deps: ServersDeps) {
  const { db, hypervisors, log } = deps
  const rename = renameServer(deps)
  const { preview, begin } = reinstallServer(deps)
  const { offer, withdraw } = offerServer(deps)
  const show = (actor: Actor, row: ServerRow | null) =>
    serverView(requireVisible(row, actor), actor, deps)
  const get = async (actor: Actor, id: number) => show(actor, await serverRow(db, actor, id))

  return {
    get,
    read: createServerReads(deps),
    /** What the actor sees of what was read. */
    show,

    async change(actor: Actor, id: number, change: z.output<typeof ServerChange>) {
      await rename(actor, id, change)
      return await get(actor, id)
    },

    activity: (actor: Actor, id: number, page: Parameters<typeof serverActivity>[3]) =>
      serverActivity(db, actor, id, page),

    reinstallPreview: preview,
    reinstall: begin,
    newPassword: newPassword(deps),
    offer,
    withdrawOffer: withdraw,
    snapshots: snapshotServer(deps),
    backups: { ...backupServer(deps), ...scheduleServer(deps) },
    cds: cdServer(deps),
    firewall: firewallServer(deps),

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

import type { z } from 'zod'
import type { BackupScheduleChange } from '#shared/api/servers/backups.ts'
import { AppError } from '#shared/errors.ts'
import { scheduleRefusal } from '#shared/rules/instance/backup-schedule.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { placesOf } from '../../provisioning/backups/backup-rows.ts'
import {
  scheduleOf,
  shownSchedule,
  storeSchedule,
} from '../../provisioning/backups/schedule-rows.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { lockServer } from './locked-server.ts'
import { type ServerRow, serverRow } from './server-row.ts'
import type { ViewDeps } from './server-view.ts'

type ScheduleDeps = ViewDeps & Pick<Deps, 'db' | 'events'> & { audit: Audit }

/** When a server is backed up by itself, for its owner and for operators. */
export function scheduleServer(deps: ScheduleDeps) {
  const { db, clock, events, audit } = deps

  const view = async (tx: Db, row: ServerRow) => {
    const { limit, held, storage } = await placesOf(tx, row, row.token?.id ?? 0)
    const refusal = scheduleRefusal(1, { limit, held, hasStorage: storage !== null })
    return {
      ...shownSchedule(await scheduleOf(tx, row.id)),
      mostKept: Math.max(0, limit - held),
      refusal: refusal ?? null,
    }
  }

  return {
    schedule: async (actor: Actor, id: number) => await view(db, await serverRow(db, actor, id)),

    setSchedule: (actor: Actor, id: number, wish: z.output<typeof BackupScheduleChange>) =>
      db.transaction(async (tx) => {
        const row = await lockServer(tx, { actor, id, act: 'schedule' }, deps)
        const { every, keep, window } = wish
        if (every !== 'none') {
          const { limit, held, storage } = await placesOf(tx, row, row.token.id)
          const why = scheduleRefusal(keep, { limit, held, hasStorage: storage !== null })
          if (why !== undefined) throw new AppError('INVALID_STATE', why)
        }
        await storeSchedule(tx, id, wish, clock.now())
        await publishTokenChange(tx, events, row.ownerId)
        await audit.record(tx, actor, {
          action: 'instance.backup-schedule',
          target: `instance:${id}`,
          details: { every, ...(every !== 'none' && { keep, from: window.from }) },
        })
        return await view(tx, row)
      }),
  }
}

import { backedServers } from '../../../provisioning/backups/overview-rows.ts'
import { found, pathTo, plural, type Watch } from './watch.ts'

const OVERVIEW = '/settings?tab=backups'
const tabOf = ({ instanceId }: { instanceId: number }) => `/servers/${instanceId}?tab=backups`

export const backupsFailed: Watch = async ({ db, clock }) => {
  const list = (await backedServers(db, clock.now())).filter(({ schedule }) => schedule?.failedAt)
  const message = `The last backup of ${plural(list.length, 'server', 'servers')} failed`
  const path = pathTo(list, tabOf, OVERVIEW)
  return found({ kind: 'backups-failed', tone: 'bad', message, path }, list)
}

export const backupsLate: Watch = async ({ db, clock }) => {
  const list = (await backedServers(db, clock.now())).filter(({ days }) => days !== null)
  const [first] = list
  const message =
    list.length === 1
      ? `${first?.label} has had no backup for ${plural(first?.days ?? 0, 'day', 'days')}`
      : `${list.length} servers have had no backup for days`
  const path = pathTo(list, tabOf, OVERVIEW)
  return found({ kind: 'backups-late', tone: 'warn', message, path }, list)
}

import { isFailedStatus } from '#shared/rules/instance/instance-power.ts'
import { liveState } from '../../../inventory/views/live-instances.ts'
import { found, pathTo, plural, type Watch } from './watch.ts'

/** In error, or gone from their cluster. */
export const serversFailed: Watch = async (deps) => {
  const rows = await deps.instanceList()
  const list = rows.filter((row) => isFailedStatus(liveState(row, deps).status))
  const message = `${plural(list.length, 'server has', 'servers have')} failed or vanished`
  const path = pathTo(
    list,
    ({ id }) => `/proxmox-manager?resource=instance-${id}`,
    '/instances?show=failed',
  )
  return found({ kind: 'servers-failed', tone: 'bad', message, path }, list)
}

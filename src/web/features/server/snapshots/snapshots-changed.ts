import { api } from '../../../api/table.ts'
import { SERVER_CHANGED } from '../../../widgets/instance/server-changed.ts'

/** The routes to read again after work on a snapshot began. */
export const SNAPSHOTS_CHANGED = [api.snapshots.list, ...SERVER_CHANGED]

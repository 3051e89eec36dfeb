import { api } from '../../../api/table.ts'
import { SERVER_CHANGED } from '../../../widgets/instance/server-changed.ts'

/** The routes to read again after work on a CD began. */
export const CDS_CHANGED = [api.cds.get, ...SERVER_CHANGED]

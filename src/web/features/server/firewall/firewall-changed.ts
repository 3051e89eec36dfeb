import { api } from '../../../api/table.ts'

/** What shows the rules of a server, or tells of them. */
export const FIREWALL_CHANGED = [api.firewall.get, api.servers.activity]

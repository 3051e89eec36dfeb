import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'

/** Synchronises every cluster. */
export const useSync = () =>
  useAction(api.sync.proxmox, {
    done: ({ message }) => ({ title: 'Sync Complete', description: message }),
    failed: { title: 'Sync Failed', description: 'Failed to sync with Proxmox.' },
    refresh: [
      api.instances.list,
      api.nodes.list,
      api.nodes.templates,
      api.templates.list,
      api.clusters.list,
      api.clusters.state,
      api.dashboard.clients,
      api.stats.get,
    ],
  })

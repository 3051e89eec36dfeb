import { RefreshCw } from 'lucide-react'
import { api } from '../api/table.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'

/** Reads everything of every cluster again. */
export function SyncButton() {
  const sync = useAction(api.sync.proxmox, {
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
  return (
    <Button isPending={sync.isPending} onClick={() => void sync.run()}>
      {!sync.isPending && <RefreshCw aria-hidden="true" className="size-4" />}
      {sync.isPending ? 'Syncing...' : 'Sync to Proxmox'}
    </Button>
  )
}

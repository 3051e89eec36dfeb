import { RefreshCw, Settings, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Cluster } from '#shared/api/servers/clusters.ts'
import { useMay } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { useSearchParam } from '../../lib/paths/use-search-param.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { ClusterSettingsDialog } from './cluster-settings-dialog.tsx'
import { AFTER_CLUSTER_CHANGE } from './refreshed-routes.ts'

type Props = { cluster: Cluster }

export function ClusterActions({ cluster }: Props) {
  // In the address, so that a warning elsewhere can link straight to the settings.
  const [settings, setSettings] = useSearchParam('settings')
  const [isDeleting, setDeleting] = useState(false)
  const mayRun = useMay('run')
  if (!mayRun) return null
  return (
    <div className="flex items-center gap-1 max-md:-ml-1 md:justify-end">
      <SyncNodes cluster={cluster} />
      <Button
        variant="ghost"
        size="icon"
        title="Settings"
        aria-label={`Settings of ${cluster.name}`}
        onClick={() => setSettings(String(cluster.id))}
      >
        <Settings aria-hidden="true" className="size-4" />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        title="Delete"
        aria-label={`Delete ${cluster.name}`}
        onClick={() => setDeleting(true)}
      >
        <Trash2 aria-hidden="true" className="size-4" />
      </Button>
      {settings === String(cluster.id) && (
        <ClusterSettingsDialog cluster={cluster} onClose={() => setSettings('')} />
      )}
      {isDeleting && <DeleteClusterDialog cluster={cluster} onClose={() => setDeleting(false)} />}
    </div>
  )
}

function SyncNodes({ cluster }: Props) {
  const sync = useAction(api.nodes.sync, {
    done: 'Nodes synced successfully',
    failed: 'Error',
    refresh: AFTER_CLUSTER_CHANGE,
  })
  return (
    <Button
      size="sm"
      aria-label={`Sync ${cluster.name}`}
      isPending={sync.isPending}
      onClick={() => void sync.run({ params: { id: cluster.id } })}
    >
      {!sync.isPending && <RefreshCw aria-hidden="true" className="size-3.5" />}
      Sync
    </Button>
  )
}

function DeleteClusterDialog({ cluster, onClose }: Props & { onClose: () => void }) {
  const remove = useAction(api.clusters.remove, {
    done: 'Cluster deleted successfully',
    failed: 'Error',
    refresh: AFTER_CLUSTER_CHANGE,
  })
  const confirm = async () => {
    const { ok } = await remove.run({ params: { id: cluster.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete ${cluster.name}?`}
      action="Delete"
      isDangerous
      typed={cluster.name}
      onConfirm={() => void confirm()}
      isPending={remove.isPending}
    >
      The connection, its credentials and what was read from it are removed here. The cluster itself
      and its VMs keep running. While assigned tokens depend on it, it cannot be deleted.
    </Confirm>
  )
}

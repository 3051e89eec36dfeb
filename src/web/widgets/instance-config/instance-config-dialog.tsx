import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Instance } from '#shared/api/servers/instances.ts'
import { serverSentence } from '../../api/api-error.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import { ErrorState } from '../../ui/feedback/error-state.tsx'
import { Loading, Skeleton } from '../../ui/indicator/skeleton.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { usePlaces } from '../cluster/use-places.ts'
import { ConfigForm } from './config-editor.tsx'

type InstanceConfigDialogProps = { instance: Instance; onClose: () => void }

/** Reads the configuration when it opens: an earlier answer may be outdated. */
export function InstanceConfigDialog({ instance, onClose }: InstanceConfigDialogProps) {
  const config = useQuery({
    ...query(api.instances.config, { params: { id: instance.id } }),
    staleTime: 0,
    gcTime: 0,
  })
  const places = usePlaces()
  const [loads, setLoads] = useState(0)
  const reload = async () => {
    await config.refetch()
    setLoads((count) => count + 1)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Instance configuration"
      description={`${instanceName(instance)} · VM ${instance.vmId}${places.isMany ? ` · ${places.nodeOf(instance)}` : ''}`}
    >
      {config.isError && (
        <ErrorState
          title="Failed to load configuration"
          onRetry={() => void config.refetch()}
          isRetrying={config.isFetching}
        >
          {serverSentence(config.error) ?? 'Could not fetch VM configuration from Proxmox.'}
        </ErrorState>
      )}
      {config.isPending && <Skeletons />}
      {config.data && !config.isError && (
        <ConfigForm
          // Only on demand: a background read must not replace what is being typed.
          key={loads}
          instance={instance}
          found={config.data}
          onClose={onClose}
          onReload={() => void reload()}
        />
      )}
    </Dialog>
  )
}

function Skeletons() {
  return (
    <Loading label="Loading the configuration">
      <Skeleton className="mb-6 h-10" />
      <div className="grid gap-5 sm:grid-cols-2">
        {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
          <Skeleton key={key} className="h-16" />
        ))}
      </div>
    </Loading>
  )
}

import { useQuery } from '@tanstack/react-query'
import type { Cluster } from '#shared/api/servers/clusters.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { PermissionReport } from './permission-report.tsx'

export function PermissionsTab({ cluster }: { cluster: Cluster }) {
  const report = useQuery({
    ...query(api.clusters.diagnosis, { params: { id: cluster.id } }),
    // Opened after granting something: a cached answer is useless.
    staleTime: 0,
  })
  return (
    <ListState query={report} failure="The permissions could not be read">
      {(diagnosis) => (
        <div className="space-y-3">
          <PermissionReport diagnosis={diagnosis} />
          {diagnosis.reused.map(({ vmId, name, storages }) => (
            <Note key={vmId} tone="warn">
              VM {vmId} ({name}) has the id of a former server, whose backups are still on{' '}
              {storages.join(' and ')}. A person who may restore this VM could read them: delete
              them in Proxmox, or give the VM another id.
            </Note>
          ))}
          <QueryFreshness query={report} />
        </div>
      )}
    </ListState>
  )
}

import { useQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'

/** The VM's configuration as Proxmox stores it, to read. */
export function ProxmoxTab({ server: { id } }: { server: { id: number } }) {
  const config = useQuery({
    ...query(api.servers.proxmoxConfig, { params: { id } }),
    staleTime: 0,
  })
  return (
    <Card>
      <CardHeader
        title="Configuration in Proxmox"
        description="As the cluster stores it. To change it, use the Proxmox Manager."
        action={<QueryFreshness query={config} />}
      />
      <ListState query={config} failure="The configuration could not be loaded">
        {(lines) => (
          <dl className="divide-y px-5 py-1 font-mono text-sm">
            {lines.map(({ key, value }) => (
              <div key={key} className="grid gap-x-6 py-2 sm:grid-cols-[10rem_minmax(0,1fr)]">
                <dt className="text-ink-soft">{key}</dt>
                <dd className="whitespace-pre-wrap break-all">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </ListState>
    </Card>
  )
}

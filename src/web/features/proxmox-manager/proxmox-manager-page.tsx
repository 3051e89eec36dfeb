import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { ArrowLeft, MousePointerClick } from 'lucide-react'
import { useMemo } from 'react'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { parseResource } from '../../lib/paths/resource-path.ts'
import { useSearchParam } from '../../lib/paths/use-search-param.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { SyncButton } from '../../widgets/cluster/sync-button.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { SearchField } from '../../widgets/list/search-field.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { ResourceDetails } from './resource-details.tsx'
import { ResourceTree } from './resource-tree.tsx'
import type { Inventory } from './tree-rows.ts'

const HALF_A_MINUTE = 30_000

export function ProxmoxManagerPage() {
  const clusters = useQuery({ ...query(api.clusters.list), refetchInterval: MINUTE_MS })
  const nodes = useQuery({ ...query(api.nodes.list), refetchInterval: MINUTE_MS })
  const templates = useQuery({ ...query(api.templates.list), refetchInterval: MINUTE_MS })
  const instances = useQuery({ ...query(api.instances.list), refetchInterval: HALF_A_MINUTE })
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <QueryFreshness query={instances} />
        <div className="ml-auto">
          <SyncButton />
        </div>
      </div>
      <ListState query={nodes} failure="The nodes could not be loaded">
        {(nodeList) => (
          <ListState query={templates} failure="The templates could not be loaded">
            {(templateList) => (
              <ListState query={instances} failure="The instances could not be loaded">
                {(instanceList) => (
                  <Manager
                    clusters={clusters.data ?? []}
                    nodes={nodeList}
                    templates={templateList}
                    instances={instanceList}
                  />
                )}
              </ListState>
            )}
          </ListState>
        )}
      </ListState>
    </div>
  )
}

/** Tree and details side by side; on a small screen one of the two. */
function Manager({ clusters, nodes, templates, instances }: Inventory) {
  const [search, setSearch] = useSearchParam('q')
  const [selected, setSelected] = useSearchParam('resource')
  const inventory = useMemo(
    () => ({ clusters, nodes, templates, instances }),
    [clusters, nodes, templates, instances],
  )
  const resource = parseResource(selected)
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <Card aria-label="Resources" className={clsx('min-w-0', resource && 'max-lg:hidden')}>
        <div className="border-b p-3">
          <SearchField
            label="Find a resource"
            placeholder="Name or VM id"
            value={search}
            onChange={setSearch}
            className="w-full"
          />
        </div>
        <ResourceTree
          inventory={inventory}
          search={search}
          selected={selected}
          onSelect={setSelected}
        />
      </Card>
      <Card aria-label="Details" className={clsx('min-w-0', !resource && 'max-lg:hidden')}>
        {resource ? (
          <>
            <div className="border-b px-3 py-2 lg:hidden">
              <Button variant="ghost" size="sm" onClick={() => setSelected('')}>
                <ArrowLeft aria-hidden="true" className="size-4" />
                All resources
              </Button>
            </div>
            <ResourceDetails
              key={selected}
              resource={resource}
              inventory={inventory}
              onGone={() => setSelected('')}
            />
          </>
        ) : (
          <EmptyState icon={MousePointerClick} title="Select a resource to view details" />
        )}
      </Card>
    </div>
  )
}

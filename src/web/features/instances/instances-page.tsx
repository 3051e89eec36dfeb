import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { useSearchParam } from '../../lib/paths/use-search-param.ts'
import { Button } from '../../ui/form/button.tsx'
import { Later } from '../../ui/indicator/later.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { SyncButton } from '../../widgets/cluster/sync-button.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { SearchField } from '../../widgets/list/search-field.tsx'
import { useShow } from '../../widgets/list/show-filter.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { ByClient } from './by-client.tsx'
import { ByNode } from './by-node.tsx'

const CreateInstanceDialog = lazyPage(
  () => import('./create-instance-dialog.tsx'),
  'CreateInstanceDialog',
)

const ByTraffic = lazyPage(() => import('./by-traffic.tsx'), 'ByTraffic')

const VIEWS = ['node', 'client', 'traffic'] as const
const isView = (view: string): view is (typeof VIEWS)[number] =>
  VIEWS.some((known) => known === view)

const HALF_A_MINUTE = 30_000
const SHOWN = { failed: 'Only failed or vanished ones', suspended: 'Only suspended ones' }

export function InstancesPage() {
  const [text, setText] = useSearchParam('q')
  const [view, setView] = useSearchParam('view', 'node')
  const { show, chip } = useShow(SHOWN)
  const [isCreating, setCreating] = useState(false)
  const instances = useQuery({
    ...query(api.instances.list),
    refetchInterval: HALF_A_MINUTE,
    enabled: view !== 'client' && view !== 'traffic',
  })
  const clients = useQuery({
    ...query(api.dashboard.clients),
    refetchInterval: HALF_A_MINUTE,
    enabled: view === 'client',
  })
  return (
    <div>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 max-sm:w-full">
          <SearchField
            label="Find an instance"
            placeholder="Name, VM id, node or client"
            value={text}
            onChange={setText}
          />
          {view !== 'traffic' && <QueryFreshness query={view === 'client' ? clients : instances} />}
          {view !== 'client' && view !== 'traffic' && chip}
        </div>
        <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:*:flex-1">
          <SyncButton />
          <May duty="run">
            <Button variant="primary" onClick={() => setCreating(true)}>
              <Plus aria-hidden="true" className="size-4" />
              Create Instance
            </Button>
          </May>
        </div>
      </div>
      <Tabs
        label="View"
        value={isView(view) ? view : 'node'}
        onChange={setView}
        tabs={[
          {
            value: 'node',
            label: 'By node',
            content: <ByNode instances={instances} text={text} show={show} />,
          },
          {
            value: 'client',
            label: 'By client',
            content: <ByClient clients={clients} text={text} />,
          },
          {
            value: 'traffic',
            label: 'By traffic',
            content: (
              <Later className="h-64">
                <ByTraffic text={text} />
              </Later>
            ),
          },
        ]}
      />
      {isCreating && (
        <Suspense>
          <CreateInstanceDialog onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </div>
  )
}

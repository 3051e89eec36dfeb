import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { Boxes, RefreshCw } from 'lucide-react'
import { Link } from 'wouter'
import type { Node } from '#shared/api/servers/nodes.ts'
import type { Template } from '#shared/api/servers/templates.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { count } from '../../lib/format/words.ts'
import { paths } from '../../lib/paths/paths.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Note } from '../../ui/feedback/note.tsx'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { useShow } from '../../widgets/list/show-filter.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { groupNodes, type NodeGroup } from './group-nodes.ts'
import { NodeCard } from './node-card.tsx'

const NO_NODES = 'No cluster nodes found. Connect to a Proxmox cluster to see nodes.'

const SHOWN = { offline: 'Only offline nodes' }

export function NodesPage() {
  const nodes = useQuery({ ...query(api.nodes.list), refetchInterval: MINUTE_MS })
  const { show, chip } = useShow(SHOWN)
  return (
    <ListState query={nodes} failure="The nodes could not be loaded" skeleton={<Skeletons />}>
      {(list) => (
        <div className="space-y-6">
          <div
            className={clsx('flex flex-wrap items-center gap-x-4 text-ink-soft', !chip && '-my-2')}
          >
            {count(list.length, 'node')}
            <QueryFreshness query={nodes} />
            {chip}
          </div>
          {show ? (
            <Groups nodes={list.filter(({ status }) => status === show)} isFiltered />
          ) : (
            <Groups nodes={list} />
          )}
        </div>
      )}
    </ListState>
  )
}

type GroupsProps = { nodes: readonly Node[]; isFiltered?: boolean }

function Groups({ nodes, isFiltered = false }: GroupsProps) {
  const clusters = useQuery({ ...query(api.clusters.list), refetchInterval: MINUTE_MS })
  // One list for all cards instead of one call per card.
  const templates = useQuery({ ...query(api.templates.list), refetchInterval: MINUTE_MS })
  const all = groupNodes(nodes, clusters.data ?? [])
  const groups = isFiltered ? all.filter((group) => group.nodes.length > 0) : all
  if (isFiltered && groups.length === 0) {
    return (
      <Card>
        <EmptyState icon={Boxes} title="No node is offline" />
      </Card>
    )
  }
  if (groups.length === 0) {
    return (
      <Card>
        <EmptyState
          icon={Boxes}
          title={NO_NODES}
          action={
            <Link href={paths.clusters} className={buttonClass({ variant: 'primary' })}>
              Cluster Connections
            </Link>
          }
        />
      </Card>
    )
  }
  return groups.map((group) => <Group key={group.clusterId} group={group} templates={templates} />)
}

function Group({ group, templates }: { group: NodeGroup; templates: UseQueryResult<Template[]> }) {
  const titleId = `cluster-${group.clusterId}`
  return (
    <section aria-labelledby={titleId}>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 id={titleId} className="text-base">
          {group.name}
        </h2>
        <SyncNodes group={group} />
      </div>
      {group.problem && (
        <Note tone="warn" className="mb-3">
          {group.problem}
        </Note>
      )}
      {group.nodes.length === 0 ? (
        <Card>
          <EmptyState icon={Boxes} title={NO_NODES}>
            This cluster is connected but has not been read yet. Sync Nodes reads it.
          </EmptyState>
        </Card>
      ) : (
        <ul className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
          {group.nodes.map((node) => (
            <li key={node.id} className="grid">
              <NodeCard node={node} templates={templates} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function SyncNodes({ group }: { group: NodeGroup }) {
  const sync = useAction(api.nodes.sync, {
    done: 'Nodes synced successfully',
    failed: 'Error',
    refresh: [api.nodes.list, api.nodes.templates, api.templates.list, api.clusters.list],
  })
  const maySync = useMay('run')
  if (!maySync) return null
  return (
    <Button
      aria-label={`Sync Nodes of ${group.name}`}
      isPending={sync.isPending}
      onClick={() => void sync.run({ params: { id: group.clusterId } })}
    >
      {!sync.isPending && <RefreshCw aria-hidden="true" className="size-4" />}
      Sync Nodes
    </Button>
  )
}

function Skeletons() {
  return (
    <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
      {['a', 'b', 'c'].map((key) => (
        <Skeleton key={key} className="h-96" />
      ))}
    </div>
  )
}

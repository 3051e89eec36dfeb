import type { UseQueryResult } from '@tanstack/react-query'
import { Server } from 'lucide-react'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import type { Instance } from '#shared/api/servers/instances.ts'
import { isFailedStatus } from '#shared/rules/instance/instance-power.ts'
import { count } from '../../lib/format/words.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { usePlaces } from '../../widgets/cluster/use-places.ts'
import { InstanceDialogs, type OpenInstance } from '../../widgets/instance/instance-dialogs.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { VirtualList } from '../../widgets/list/virtual-list.tsx'
import { findInstances, type Item, itemsByNode } from './group-instances.ts'
import { InstanceRow } from './instance-row.tsx'

type Shown = 'failed' | 'suspended' | undefined

/** The rows that a filter shows, as "Needs attention" counts them. */
const PASSES: Record<NonNullable<Shown>, (instance: Instance) => boolean> = {
  failed: ({ status }) => isFailedStatus(status),
  suspended: ({ suspended }) => suspended !== null,
}

type ByNodeProps = { instances: UseQueryResult<Instance[]>; text: string; show: Shown }

export function ByNode({ instances, text, show }: ByNodeProps) {
  return (
    <ListState
      query={instances}
      failure="The instances could not be loaded"
      skeleton={<Skeletons />}
    >
      {(list) => <Groups instances={list} text={text} show={show} />}
    </ListState>
  )
}

type GroupsProps = { instances: readonly Instance[]; text: string; show: Shown }

function Groups({ instances, text, show }: GroupsProps) {
  // Typing stays responsive; the long list follows.
  const search = useDeferredValue(text)
  const places = usePlaces()
  const items = useMemo(() => {
    const found = findInstances(instances, search, places)
    return itemsByNode(show ? found.filter(PASSES[show]) : found, places)
  }, [instances, search, show, places])
  const [open, setOpen] = useState<OpenInstance>()
  if (items.length === 0) return <Nothing isFiltered={instances.length > 0} />
  return (
    <>
      <VirtualList
        label="Instances by node"
        items={items}
        keyOf={({ key }) => key}
        estimate={({ kind }) => (kind === 'group' ? 44 : 70)}
      >
        {(item) => <Row item={item} onOpen={setOpen} />}
      </VirtualList>
      <InstanceDialogs open={open} onClose={() => setOpen(undefined)} />
    </>
  )
}

type RowProps = { item: Item; onOpen: (open: OpenInstance) => void }

/** Scrolling renders the list many times a second; an unchanged row is not rendered again. */
const Row = memo(function Row({ item, onOpen }: RowProps) {
  if (item.kind === 'row') return <InstanceRow instance={item.instance} onOpen={onOpen} />
  return (
    <h2 className="flex items-baseline gap-2 pt-3 pb-2 text-base">
      {item.name}
      <span className="tabular font-normal text-ink-soft text-sm">
        {count(item.count, 'instance')}
      </span>
    </h2>
  )
})

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Card>
      <EmptyState icon={Server} title="No instances found">
        {isFiltered
          ? 'Nothing matches.'
          : 'Sync to Proxmox reads the VMs of the connected clusters; Create Instance makes one from a token.'}
      </EmptyState>
    </Card>
  )
}

function Skeletons() {
  return (
    <div className="space-y-2">
      <Skeleton className="mb-4 h-6 w-40" />
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <Skeleton key={key} className="h-16" />
      ))}
    </div>
  )
}

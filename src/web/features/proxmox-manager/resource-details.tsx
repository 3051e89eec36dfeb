import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Resource } from '../../lib/paths/resource-path.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ClusterDetails } from './cluster-details.tsx'
import { InstanceDetails } from './instance-details.tsx'
import { NodeDetails } from './node-details.tsx'
import { TemplateDetails } from './template-details.tsx'
import type { Inventory } from './tree-rows.ts'

type ResourceDetailsProps = { resource: Resource; inventory: Inventory; onGone: () => void }

export function ResourceDetails({ resource, inventory, onGone }: ResourceDetailsProps): ReactNode {
  const withId = <T extends { id: number }>(list: readonly T[]) =>
    list.find(({ id }) => id === resource.id)
  switch (resource.kind) {
    case 'cluster': {
      const cluster = withId(inventory.clusters)
      return cluster ? <ClusterDetails cluster={cluster} /> : <Gone />
    }
    case 'node': {
      const node = withId(inventory.nodes)
      return node ? <NodeDetails node={node} /> : <Gone />
    }
    case 'template': {
      const template = withId(inventory.templates)
      return template ? <TemplateDetails template={template} /> : <Gone />
    }
    case 'instance': {
      const instance = withId(inventory.instances)
      return instance ? <InstanceDetails instance={instance} onDeleted={onGone} /> : <Gone />
    }
  }
}

function Gone() {
  return (
    <EmptyState icon={SearchX} title="This resource is no longer there">
      It was removed, or the last reading of the cluster did not contain it. Sync to Proxmox reads
      it again.
    </EmptyState>
  )
}

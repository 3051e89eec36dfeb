import type { UseQueryResult } from '@tanstack/react-query'
import { ArrowUpRight } from 'lucide-react'
import { Link } from 'wouter'
import type { Node } from '#shared/api/servers/nodes.ts'
import type { Template } from '#shared/api/servers/templates.ts'
import { formatBytes } from '../../lib/format/bytes.ts'
import { count } from '../../lib/format/words.ts'
import { osTypeWords } from '../../lib/instance/os-type.ts'
import { resourcePath } from '../../lib/paths/resource-path.ts'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { UsageBar } from '../../widgets/facts/usage-bar.tsx'
import { NodeStatusBadge } from '../../widgets/instance/status-badge.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { CpuSparkline } from '../../widgets/metrics/sparkline.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { ratio } from './group-nodes.ts'

const ofTotal = (used: number | null, total: number | null) =>
  used === null || total === null ? undefined : `${formatBytes(used)} of ${formatBytes(total)}`

type NodeCardProps = { node: Node; templates: UseQueryResult<Template[]> }

export function NodeCard({ node, templates }: NodeCardProps) {
  return (
    <article aria-label={node.name} className="flex flex-col rounded-md border bg-card">
      <header className="flex items-center justify-between gap-3 border-b px-5 py-3">
        <h3 className="flex min-w-0 items-center gap-1 text-base">
          <span className="truncate">{node.name}</span>
          <Link
            href={resourcePath('node', node.id)}
            aria-label={`Details of ${node.name}`}
            className="grid size-6 shrink-0 place-content-center rounded-sm text-ink-soft hover:text-ink"
          >
            <ArrowUpRight aria-hidden="true" className="size-4" />
          </Link>
        </h3>
        <NodeStatusBadge status={node.status} />
      </header>
      <div className="space-y-4 p-5">
        <div>
          <UsageBar label="CPU" value={node.cpuUsage} />
          <div className="mt-2">
            <CpuSparkline machine={{ kind: 'node', id: node.id }} name={node.name} />
          </div>
        </div>
        <UsageBar
          label="Memory"
          value={ratio(node.memoryUsed, node.memoryTotal)}
          detail={ofTotal(node.memoryUsed, node.memoryTotal)}
        />
        <UsageBar
          label="Storage"
          value={ratio(node.storageUsed, node.storageTotal)}
          detail={ofTotal(node.storageUsed, node.storageTotal)}
        />
        <p className="flex justify-between gap-3">
          <span className="text-ink-soft">VM count</span>
          <span className="tabular font-semibold">{node.vmCount}</span>
        </p>
      </div>
      <Templates node={node} templates={templates} />
      <footer className="mt-auto border-t px-5 py-2.5 text-ink-soft text-xs">
        Last updated{' '}
        {node.lastUpdated ? <RelativeTime at={node.lastUpdated} /> : <span>Never</span>}
      </footer>
    </article>
  )
}

function Templates({ node, templates }: NodeCardProps) {
  const own = templates.data?.filter(({ nodeId }) => nodeId === node.id)
  return (
    <div className="border-t px-5 py-4">
      <h4 className="mb-2 font-semibold">{own ? count(own.length, 'template') : 'Templates'}</h4>
      <ListState
        query={templates}
        failure="The templates could not be loaded"
        skeleton={<Skeleton className="h-12" />}
      >
        {() => <TemplateList templates={own ?? []} />}
      </ListState>
    </div>
  )
}

function TemplateList({ templates }: { templates: readonly Template[] }) {
  if (templates.length === 0) return <p className="text-ink-soft">No templates available</p>
  return (
    <ul className="divide-y">
      {templates.map((template) => (
        <li key={template.id} className="flex items-baseline justify-between gap-3 py-1.5">
          <Link
            href={resourcePath('template', template.id)}
            className="min-w-0 truncate hover:underline"
          >
            {template.name}
          </Link>
          <span className="shrink-0 font-mono text-ink-soft text-xs">
            {template.osType && `${osTypeWords(template.osType)} · `}
            {template.templateId}
          </span>
        </li>
      ))}
    </ul>
  )
}

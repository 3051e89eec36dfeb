import type { Node } from '#shared/api/servers/nodes.ts'
import { usePlaces } from '../../widgets/cluster/use-places.ts'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import { UsageBar } from '../../widgets/facts/usage-bar.tsx'
import { NodeStatusBadge } from '../../widgets/instance/status-badge.tsx'
import { MetricsPanel } from '../../widgets/metrics/metrics-panel.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { DetailsFrame } from './details-frame.tsx'

const fraction = (percentage: number | null) => (percentage === null ? null : percentage / 100)

export function NodeDetails({ node }: { node: Node }) {
  const places = usePlaces()
  return (
    <DetailsFrame title={places.node(node)} badge={<NodeStatusBadge status={node.status} />}>
      <div className="grid gap-5 sm:grid-cols-3">
        <UsageBar label="CPU usage" value={node.cpuUsage} />
        <UsageBar label="Memory" value={fraction(node.memoryUsage)} />
        <UsageBar label="Storage" value={fraction(node.diskUsage)} />
      </div>
      <Facts>
        <Fact term="VM count">
          <span className="tabular">{node.vmCount}</span>
        </Fact>
        <Fact term="Node ID">
          <span className="font-mono">{node.id}</span>
        </Fact>
        <Fact term="Last updated">
          {node.lastUpdated ? <RelativeTime at={node.lastUpdated} /> : 'Never'}
        </Fact>
      </Facts>
      <MetricsPanel machine={{ kind: 'node', id: node.id }} />
    </DetailsFrame>
  )
}

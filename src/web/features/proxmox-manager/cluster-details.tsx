import { Link } from 'wouter'
import type { Cluster } from '#shared/api/servers/clusters.ts'
import { paths } from '../../lib/paths/paths.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { DetailsFrame } from './details-frame.tsx'

export function ClusterDetails({ cluster }: { cluster: Cluster }) {
  const isConnected = cluster.status === 'connected'
  return (
    <DetailsFrame
      title={cluster.name}
      badge={
        <Badge tone={isConnected ? 'good' : 'bad'} hasMark>
          {isConnected ? 'Connected' : 'Disconnected'}
        </Badge>
      }
      actions={
        <Link href={paths.clusters} className={buttonClass({ size: 'sm' })}>
          Cluster Connections
        </Link>
      }
    >
      {cluster.problem && <Note tone="warn">{cluster.problem}</Note>}
      <Facts>
        <Fact term="Host">
          <span className="font-mono">
            {cluster.host}:{cluster.port}
          </span>
        </Fact>
        <Fact term="Username">
          <span className="font-mono">{cluster.username}</span>
        </Fact>
        <Fact term="Last sync">
          {cluster.lastSyncAt ? <RelativeTime at={cluster.lastSyncAt} /> : 'Never'}
        </Fact>
      </Facts>
    </DetailsFrame>
  )
}

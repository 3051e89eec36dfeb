import { Link } from 'wouter'
import type { Cluster } from '#shared/api/clusters.ts'
import { paths } from '../../paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Fact, Facts } from '../../widgets/facts.tsx'
import { Note } from '../../widgets/note.tsx'
import { RelativeTime } from '../../widgets/relative-time.tsx'
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

import { Badge, type Tone } from '../../ui/indicator/badge.tsx'

export type ClusterState = 'online' | 'degraded' | 'offline' | 'none'

const WORDS: Record<ClusterState, [tone: Tone, state: string]> = {
  online: ['good', 'Cluster Online'],
  degraded: ['warn', 'Cluster Degraded'],
  offline: ['bad', 'Cluster Offline'],
  none: ['idle', 'No cluster'],
}

/** The state of the cluster, or nothing until it is known. */
export function ClusterIndicator({ state }: { state: ClusterState | undefined }) {
  if (!state) return null
  const [tone, word] = WORDS[state]
  return (
    <Badge tone={tone} hasMark>
      {word}
    </Badge>
  )
}

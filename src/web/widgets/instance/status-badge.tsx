import type { NodeStatus } from '#shared/api/servers/nodes.ts'
import { statusTone, statusWord } from '../../lib/instance/instance-status.ts'
import { Badge, type Tone } from '../../ui/indicator/badge.tsx'

/** The state of an instance, as a coloured label. */
export function StatusBadge({ status }: { status: string | null | undefined }) {
  return (
    <Badge tone={statusTone(status)} hasMark>
      {statusWord(status)}
    </Badge>
  )
}

const NODE_TONES: Record<NodeStatus, Tone> = {
  online: 'good',
  offline: 'bad',
  maintenance: 'warn',
  unknown: 'idle',
}

export function NodeStatusBadge({ status }: { status: NodeStatus }) {
  return (
    <Badge tone={NODE_TONES[status]} hasMark>
      {statusWord(status)}
    </Badge>
  )
}

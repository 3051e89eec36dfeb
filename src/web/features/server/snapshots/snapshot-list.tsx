import type { Server } from '#shared/api/overview/servers.ts'
import type { Snapshots } from '#shared/api/servers/snapshots.ts'
import { exactTime } from '../../../lib/format/time.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Badge } from '../../../ui/indicator/badge.tsx'
import { Countdown } from '../../../widgets/time/countdown.tsx'
import { useServerNow } from '../../../widgets/time/use-server-now.ts'

export type Snapshot = Snapshots['snapshots'][number]

type SnapshotListProps = {
  snapshots: readonly Snapshot[]
  can: Server['can']
  onRollBack: (snapshot: Snapshot) => void
  onDelete: (snapshot: Snapshot) => void
}

/** Newest first, each with the time until it deletes itself. */
export function SnapshotList({ snapshots, ...rest }: SnapshotListProps) {
  const now = useServerNow(1000)
  return (
    <ul className="divide-y">
      {snapshots.map((snapshot) => (
        <Row key={snapshot.id} snapshot={snapshot} now={now} {...rest} />
      ))}
    </ul>
  )
}

type RowProps = Omit<SnapshotListProps, 'snapshots'> & { snapshot: Snapshot; now: number }

function Row({ snapshot, now, can, onRollBack, onDelete }: RowProps) {
  const { name, state, takenAt, expiresAt, osType, isOldDisk } = snapshot
  const isReady = state === 'ready'
  return (
    <li
      aria-label={name}
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-5 py-4"
    >
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <span className="break-words font-semibold">{name}</span>
          {state === 'creating' && <Badge tone="warn">Being taken</Badge>}
          {state === 'deleting' && <Badge tone="warn">Being deleted</Badge>}
          {isOldDisk && <Badge>Before a reinstallation</Badge>}
        </p>
        <p className="text-ink-soft">
          {osType}
          {takenAt !== null && <>, taken {exactTime(new Date(takenAt))}</>}
        </p>
        {isReady && (
          <p className="text-ink-soft">
            Deletes itself in <Countdown until={Date.parse(expiresAt)} now={now} />
          </p>
        )}
      </div>
      <div className="flex gap-2">
        <Button
          size="sm"
          aria-label={`Roll back to ${name}`}
          disabled={!isReady || !can.rollback.allowed}
          title={can.rollback.why ?? undefined}
          onClick={() => onRollBack(snapshot)}
        >
          Roll back
        </Button>
        <Button
          size="sm"
          variant="ghost"
          aria-label={`Delete ${name}`}
          disabled={!isReady || !can.deleteSnapshot.allowed}
          title={can.deleteSnapshot.why ?? undefined}
          onClick={() => onDelete(snapshot)}
        >
          Delete
        </Button>
      </div>
    </li>
  )
}

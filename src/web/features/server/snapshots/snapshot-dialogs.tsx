import type { Server } from '#shared/api/overview/servers.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { exactTime } from '../../../lib/format/time.ts'
import { Confirm } from '../../../ui/overlay/confirm.tsx'
import type { Snapshot } from './snapshot-list.tsx'
import { SNAPSHOTS_CHANGED } from './snapshots-changed.ts'

type DialogProps = {
  server: Pick<Server, 'id' | 'label' | 'osType'>
  snapshot: Snapshot
  onClose: () => void
}

/** What is lost, and the label typed. */
export function RollbackDialog({
  server,
  snapshot,
  confirm,
  onClose,
}: DialogProps & { confirm: string }) {
  const rollBack = useAction(api.snapshots.rollBack, {
    done: { title: 'The server is being rolled back', description: server.label },
    failed: 'The server was not rolled back',
    refresh: SNAPSHOTS_CHANGED,
  })
  const run = async () => {
    const params = { id: server.id, snapshotId: snapshot.id }
    const { ok } = await rollBack.run({ params, body: { confirm } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      isDangerous
      title={`Roll back to ${snapshot.name}?`}
      action="Roll back"
      typed={confirm}
      isPending={rollBack.isPending}
      onClose={onClose}
      onConfirm={() => void run()}
    >
      <ul className="list-disc space-y-1.5 pl-5">
        <li>
          <strong className="font-semibold">Everything written since is lost</strong>
          {snapshot.takenAt !== null && <>: since {exactTime(new Date(snapshot.takenAt))}</>}.
        </li>
        {snapshot.isOldDisk && (
          <li>
            The disk from before the reinstallation comes back, with {snapshot.osType}. The disk of
            the present system goes, unless a snapshot needs it.
          </li>
        )}
        {snapshot.removes.length > 0 && (
          <li>
            The storage can go back only to the newest snapshot, so newer ones are deleted:{' '}
            {snapshot.removes.join(', ')}.
          </li>
        )}
        <li>
          The server stops for it. Address, size, name and login stay as they are now; SSH host keys
          may change.
        </li>
      </ul>
    </Confirm>
  )
}

export function DeleteDialog({ server, snapshot, onClose }: DialogProps) {
  const remove = useAction(api.snapshots.remove, {
    done: { title: 'The snapshot is being deleted', description: snapshot.name },
    failed: 'The snapshot was not deleted',
    refresh: SNAPSHOTS_CHANGED,
  })
  const run = async () => {
    const { ok } = await remove.run({ params: { id: server.id, snapshotId: snapshot.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      isDangerous
      title={`Delete ${snapshot.name}?`}
      action="Delete"
      isPending={remove.isPending}
      onClose={onClose}
      onConfirm={() => void run()}
    >
      {snapshot.isOldDisk
        ? 'The disk from before the reinstallation goes with it. The server itself is not affected.'
        : 'The server itself is not affected.'}
    </Confirm>
  )
}

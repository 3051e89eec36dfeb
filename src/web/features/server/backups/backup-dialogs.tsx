import { useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import type { Backups } from '#shared/api/servers/backups.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { exactTime } from '../../../lib/format/time.ts'
import { Field } from '../../../ui/form/field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { Confirm } from '../../../ui/overlay/confirm.tsx'
import { SERVER_CHANGED } from '../../../widgets/instance/server-changed.ts'
import type { Backup } from './backup-list.tsx'

/** The routes to read again after work on a backup began. */
export const BACKUPS_CHANGED = [api.backups.list, api.snapshots.list, ...SERVER_CHANGED]

type DialogProps = { server: Pick<Server, 'id' | 'label'>; backup: Backup; onClose: () => void }

/** What is lost, and the label typed. */
export function RestoreDialog({
  server,
  backup,
  now: { confirm, snapshots, others },
  onClose,
}: DialogProps & { now: Pick<Backups, 'confirm' | 'snapshots' | 'others'> }) {
  const [into, setInto] = useState('')
  const other = others.find(({ id }) => String(id) === into)
  const restore = useAction(api.backups.restore, {
    done: { title: 'The backup is being restored', description: other?.label ?? server.label },
    failed: 'The backup was not restored',
    refresh: BACKUPS_CHANGED,
  })
  const run = async () => {
    const params = { id: server.id, backupId: backup.id }
    const body = other
      ? { as: 'new' as const, into: other.id, confirm: other.confirm }
      : { as: 'same' as const, confirm }
    const { ok } = await restore.run({ params, body })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      isDangerous
      title={`Restore ${backup.name}?`}
      action="Restore"
      typed={other?.confirm ?? confirm}
      fields={
        others.length > 0 && (
          <Field label="Restore to">
            {(field) => (
              <Select
                {...field}
                value={into}
                onChange={({ target }) => setInto(target.value)}
                options={[
                  { value: '', label: `This server (${server.label})` },
                  ...others.map(({ id, label }) => ({ value: String(id), label })),
                ]}
              />
            )}
          </Field>
        )
      }
      isPending={restore.isPending}
      onClose={onClose}
      onConfirm={() => void run()}
    >
      <ul className="list-disc space-y-1.5 pl-5">
        <li>
          <strong className="font-semibold">
            Everything on {other?.label ?? 'the server'} now is deleted first
          </strong>
          {backup.takenAt !== null && (
            <>, then it is restored to its state of {exactTime(new Date(backup.takenAt))}</>
          )}
          . If that breaks off, the server has no data until it is restored again.
        </li>
        {other && <li>Its own snapshots go, too. {server.label} stays as it is.</li>}
        {!other && snapshots > 0 && (
          <li>{snapshots === 1 ? 'Its snapshot goes' : `Its ${snapshots} snapshots go`}, too.</li>
        )}
        <li>
          The server stops for it. Address, size, firewall, name and login stay as they are now; SSH
          host keys may change.
        </li>
        {other && (
          <li>
            What tells one system from another, such as its machine id, is as in the backup: change
            it inside if both are to run.
          </li>
        )}
      </ul>
    </Confirm>
  )
}

export function DeleteDialog({ server, backup, onClose }: DialogProps) {
  const remove = useAction(api.backups.remove, {
    done: { title: 'The backup is being deleted', description: backup.name },
    failed: 'The backup was not deleted',
    refresh: BACKUPS_CHANGED,
  })
  const run = async () => {
    const { ok } = await remove.run({ params: { id: server.id, backupId: backup.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      isDangerous
      title={`Delete ${backup.name}?`}
      action="Delete"
      isPending={remove.isPending}
      onClose={onClose}
      onConfirm={() => void run()}
    >
      The server itself is not affected.
    </Confirm>
  )
}

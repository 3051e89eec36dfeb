import type { Server } from '#shared/api/overview/servers.ts'
import type { Backups } from '#shared/api/servers/backups.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { exactTime } from '../../../lib/format/time.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Badge } from '../../../ui/indicator/badge.tsx'

export type Backup = Backups['backups'][number]

type BackupListProps = {
  server: Pick<Server, 'id' | 'can'>
  backups: readonly Backup[]
  onRestore: (backup: Backup) => void
  onDelete: (backup: Backup) => void
}

/** Newest first, each with its size. */
export function BackupList({ backups, ...rest }: BackupListProps) {
  return (
    <ul className="divide-y">
      {backups.map((backup) => (
        <Row key={backup.id} backup={backup} {...rest} />
      ))}
    </ul>
  )
}

type RowProps = Omit<BackupListProps, 'backups'> & { backup: Backup }

const GIB = 1024 ** 3

function Row({ server: { id, can }, backup, onRestore, onDelete }: RowProps) {
  const { name, state, isWaiting, origin, takenAt, osType, sizeBytes, isProtected, isThere } =
    backup
  const protect = useAction(api.backups.protect, {
    done: isProtected ? 'The protection has ended' : 'The backup is protected',
    failed: 'Nothing was changed',
    refresh: [api.backups.list],
  })
  const cancel = useAction(api.backups.remove, {
    done: 'The backup is cancelled',
    failed: 'The backup was not cancelled',
    refresh: [api.backups.list],
  })
  const isReady = state === 'ready'
  const params = { id, backupId: backup.id }
  return (
    <li
      aria-label={name}
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-5 py-4"
    >
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <span className="break-words font-semibold">{name}</span>
          {state === 'creating' && (
            <Badge tone="warn">{isWaiting ? 'Waiting for its turn' : 'Being made'}</Badge>
          )}
          {state === 'deleting' && <Badge tone="warn">Being deleted</Badge>}
          {origin === 'schedule' && <Badge>Scheduled</Badge>}
          {origin === 'end' && <Badge>At the end of the term</Badge>}
          {isProtected && <Badge>Protected</Badge>}
          {isThere === false && <Badge tone="warn">No longer on the storage</Badge>}
        </p>
        <p className="text-ink-soft">
          {osType}
          {takenAt !== null && <>, made {exactTime(new Date(takenAt))}</>}
          {sizeBytes !== null && <>, {(sizeBytes / GIB).toFixed(1)} GiB</>}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {isWaiting ? (
          <Button
            size="sm"
            variant="ghost"
            aria-label={`Cancel ${name}`}
            disabled={!can.deleteBackup.allowed}
            title={can.deleteBackup.why ?? undefined}
            isPending={cancel.isPending}
            onClick={() => void cancel.run({ params })}
          >
            Cancel
          </Button>
        ) : (
          <>
            <Button
              size="sm"
              aria-label={`Restore ${name}`}
              disabled={!isReady || isThere === false || !can.restore.allowed}
              title={can.restore.why ?? undefined}
              onClick={() => onRestore(backup)}
            >
              Restore
            </Button>
            <Button
              size="sm"
              variant="ghost"
              aria-label={isProtected ? `Unprotect ${name}` : `Protect ${name}`}
              disabled={!isReady || isThere === false || !can.deleteBackup.allowed}
              title={can.deleteBackup.why ?? undefined}
              isPending={protect.isPending}
              onClick={() => void protect.run({ params, body: { isProtected: !isProtected } })}
            >
              {isProtected ? 'Unprotect' : 'Protect'}
            </Button>
            <Button
              size="sm"
              variant="ghost"
              aria-label={`Delete ${name}`}
              disabled={!isReady || isProtected || !can.deleteBackup.allowed}
              title={
                isProtected ? 'End its protection first.' : (can.deleteBackup.why ?? undefined)
              }
              onClick={() => onDelete(backup)}
            >
              Delete
            </Button>
          </>
        )}
      </div>
    </li>
  )
}

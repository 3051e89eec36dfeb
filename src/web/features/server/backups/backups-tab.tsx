import { useQuery } from '@tanstack/react-query'
import { Archive } from 'lucide-react'
import { useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import type { Backups } from '#shared/api/servers/backups.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Card, CardHeader } from '../../../ui/layout/card.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { BACKUPS_CHANGED, DeleteDialog, RestoreDialog } from './backup-dialogs.tsx'
import { type Backup, BackupList } from './backup-list.tsx'
import { ScheduleCard } from './schedule-card.tsx'

const POLL_MS = 30_000
const BUSY_POLL_MS = 3_000

type Asked = { what: 'restore' | 'delete'; backup: Backup }

const isBusy = (data: Backups | undefined) =>
  data?.backups.some(({ state }) => state !== 'ready') ?? false

/** Copies of the server’s disks on another storage. */
export function BackupsTab({ server }: { server: Server }) {
  const { id, can } = server
  const list = useQuery({
    ...query(api.backups.list, { params: { id } }),
    staleTime: 0,
    refetchInterval: ({ state }) => (isBusy(state.data) ? BUSY_POLL_MS : POLL_MS),
  })
  const make = useAction(api.backups.make, {
    done: { title: 'The server is being backed up', description: server.label },
    failed: 'No backup was made',
    refresh: BACKUPS_CHANGED,
  })
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const { data } = list
  const refusal = can.backup.why ?? data?.refusal ?? null
  const isGranted = !data || data.quota.most > 0 || data.quota.used > 0
  return (
    <div className="space-y-4">
      <Card className="max-w-3xl" aria-label="Backups">
        <CardHeader
          title="Backups"
          description={
            data && isGranted ? quotaText(data) : 'Copies of the disks on another storage.'
          }
          action={
            isGranted && (
              <Button
                disabled={!data || refusal !== null}
                isPending={make.isPending}
                onClick={() => void make.run({ params: { id }, body: {} })}
              >
                Back up now
              </Button>
            )
          }
        />
        {data && isGranted && refusal !== null && (
          <div className="px-5 pt-5">
            <Note>{refusal}</Note>
          </div>
        )}
        <ListState query={list} failure="The backups could not be loaded">
          {({ backups }) =>
            !isGranted ? (
              <EmptyState icon={Archive} title="Not part of this package">
                A server of a package with backups can be copied to another storage while it runs.
              </EmptyState>
            ) : backups.length === 0 ? (
              <EmptyState icon={Archive} title="No backups yet">
                A backup copies the disks to another storage while the server runs. It stays until
                you delete it.
              </EmptyState>
            ) : (
              <BackupList
                server={server}
                backups={backups}
                onRestore={(backup) => setAsked({ what: 'restore', backup })}
                onDelete={(backup) => setAsked({ what: 'delete', backup })}
              />
            )
          }
        </ListState>
      </Card>
      {data && data.quota.most > 0 && <ScheduleCard server={server} />}
      {asked?.what === 'restore' && data && (
        <RestoreDialog server={server} backup={asked.backup} now={data} onClose={close} />
      )}
      {asked?.what === 'delete' && (
        <DeleteDialog server={server} backup={asked.backup} onClose={close} />
      )}
    </div>
  )
}

const quotaText = ({ quota: { used, most } }: Backups) => `${used} of ${most} made.`

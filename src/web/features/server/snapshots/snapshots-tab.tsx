import { useQuery } from '@tanstack/react-query'
import { Camera } from 'lucide-react'
import { useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import type { Snapshots } from '#shared/api/servers/snapshots.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Card, CardHeader } from '../../../ui/layout/card.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { OtherSnapshots } from './other-snapshots.tsx'
import { DeleteDialog, RollbackDialog } from './snapshot-dialogs.tsx'
import { type Snapshot, SnapshotList } from './snapshot-list.tsx'
import { TakeDialog } from './take-dialog.tsx'

const POLL_MS = 30_000
const BUSY_POLL_MS = 3_000

type Asked =
  | { what: 'take' }
  | { what: 'rollback'; snapshot: Snapshot }
  | { what: 'delete'; snapshot: Snapshot }

const isBusy = (data: Snapshots | undefined) =>
  data?.snapshots.some(({ state }) => state !== 'ready') ?? false

/** Ways back to an earlier state of the server’s disk. */
export function SnapshotsTab({ server }: { server: Server }) {
  const { id, can } = server
  const list = useQuery({
    ...query(api.snapshots.list, { params: { id } }),
    staleTime: 0,
    refetchInterval: ({ state }) => (isBusy(state.data) ? BUSY_POLL_MS : POLL_MS),
  })
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const { data } = list
  const refusal = can.snapshot.why ?? data?.refusal ?? null
  return (
    <>
      <Card className="max-w-3xl" aria-label="Snapshots">
        <CardHeader
          title="Snapshots"
          description={data ? quotaText(data) : 'The disk at a moment, to go back to.'}
          action={
            <Button disabled={!data || refusal !== null} onClick={() => setAsked({ what: 'take' })}>
              Take a snapshot
            </Button>
          }
        />
        {data && refusal !== null && (
          <div className="px-5 pt-5">
            <Note>{refusal}</Note>
          </div>
        )}
        <ListState query={list} failure="The snapshots could not be loaded">
          {({ snapshots, others }) => (
            <>
              {snapshots.length === 0 ? (
                <EmptyState icon={Camera} title="No snapshots yet">
                  A snapshot keeps the disk as it is now, for some days. Take one before an update;
                  if it goes wrong, go back. It is no backup: it is on the same storage.
                </EmptyState>
              ) : (
                <SnapshotList
                  snapshots={snapshots}
                  can={can}
                  onRollBack={(snapshot) => setAsked({ what: 'rollback', snapshot })}
                  onDelete={(snapshot) => setAsked({ what: 'delete', snapshot })}
                />
              )}
              <OtherSnapshots others={others} />
            </>
          )}
        </ListState>
      </Card>
      {asked?.what === 'take' && data && (
        <TakeDialog server={server} longestDays={data.longestDays} onClose={close} />
      )}
      {asked?.what === 'rollback' && data && (
        <RollbackDialog
          server={server}
          snapshot={asked.snapshot}
          confirm={data.confirm}
          onClose={close}
        />
      )}
      {asked?.what === 'delete' && (
        <DeleteDialog server={server} snapshot={asked.snapshot} onClose={close} />
      )}
    </>
  )
}

const quotaText = ({ quota: { used, most } }: Snapshots) =>
  most === 0 && used === 0 ? 'None in this package.' : `${used} of ${most} taken.`

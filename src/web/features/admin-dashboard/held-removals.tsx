import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Removal } from '#shared/api/overview/dashboard.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { FirstFew } from '../../widgets/list/first-few.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'

/** More servers than usual whose grace period is over: deleted only after confirmation. */
export function HeldRemovals({ message }: { message: string }) {
  const removals = useQuery(query(api.dashboard.removals))
  const [isAsking, setAsking] = useState(false)
  const list = removals.data ?? []
  return (
    <li className="px-5 py-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="flex min-w-0 items-center gap-3">
          <Trash2 aria-hidden="true" className="size-4 shrink-0 text-bad" />
          {message}
        </p>
        <May duty="run">
          <Button
            size="sm"
            className="max-sm:ml-7"
            disabled={list.length === 0}
            onClick={() => setAsking(true)}
          >
            Delete servers
          </Button>
        </May>
      </div>
      <div className="mt-2 pl-7">
        <FirstFew items={list}>{(some) => <Lines list={some} />}</FirstFew>
      </div>
      {isAsking && <ConfirmRemovals list={list} onClose={() => setAsking(false)} />}
    </li>
  )
}

const Lines = ({ list }: { list: readonly Removal[] }) => (
  <ul className="space-y-1">
    {list.map(({ tokenId, name, client, cluster, vmId, endedAt }) => (
      <li key={tokenId} className="break-words text-ink-soft">
        <span className="font-semibold text-ink">{name}</span>, {client ?? 'deleted client'},{' '}
        {cluster ?? 'no cluster'}, VM {vmId ?? 'unknown'}, ended <RelativeTime at={endedAt} />
      </li>
    ))}
  </ul>
)

function ConfirmRemovals({ list, onClose }: { list: readonly Removal[]; onClose: () => void }) {
  const confirm = useAction(api.dashboard.confirmRemovals, {
    done: 'The servers are being deleted',
    failed: 'The servers could not be deleted',
    refresh: [api.dashboard.attention, api.dashboard.removals],
  })
  const run = async () => {
    const tokenIds = list.map(({ tokenId }) => tokenId)
    const { ok } = await confirm.run({ body: { tokenIds } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={list.length === 1 ? 'Delete 1 server?' : `Delete ${list.length} servers?`}
      action="Delete"
      isDangerous
      typed={String(list.length)}
      onConfirm={() => void run()}
      isPending={confirm.isPending}
    >
      Their grace period is over. The servers and everything on them are deleted for good. First
      make sure that the date on this machine is right.
    </Confirm>
  )
}

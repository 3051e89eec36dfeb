import { HardDrive, History, RotateCcw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Token } from '#shared/api/shop/tokens.ts'
import { serverSentence } from '../../api/api-error.ts'
import { useMay } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { Button } from '../../ui/form/button.tsx'
import { MenuItem, MenuSeparator } from '../../ui/menu/dropdown-menu.tsx'
import { RowMenu } from '../../ui/menu/row-menu.tsx'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { RemoveTokenDialog } from '../../widgets/token/remove-token-dialog.tsx'
import { TokenTimelineDialog } from '../../widgets/token/token-timeline-dialog.tsx'
import { TOKENS_CHANGED } from '../../widgets/token/tokens-changed.ts'

export function CancelledActions({ token }: { token: Token }) {
  const [open, setOpen] = useState<'restore' | 'delete' | 'delete-vm' | 'history'>()
  const close = () => setOpen(undefined)
  const mayRun = useMay('run')
  return (
    <div className="flex justify-end gap-1">
      {mayRun && (
        <Button size="sm" aria-label={`Restore ${token.name}`} onClick={() => setOpen('restore')}>
          <RotateCcw aria-hidden="true" className="size-3.5" />
          Restore
        </Button>
      )}
      <RowMenu of={token.name}>
        <MenuItem icon={<History />} onSelect={() => setOpen('history')}>
          History
        </MenuItem>
        {mayRun && <MenuSeparator />}
        {mayRun && token.keptUntil && (
          <MenuItem icon={<HardDrive />} isDangerous onSelect={() => setOpen('delete-vm')}>
            Delete VM now
          </MenuItem>
        )}
        {mayRun && (
          <MenuItem
            icon={<Trash2 />}
            isDangerous
            refusal={
              token.keptUntil
                ? `Its VM is kept until ${calendarDay(new Date(token.keptUntil))}.`
                : undefined
            }
            onSelect={() => setOpen('delete')}
          >
            Delete
          </MenuItem>
        )}
      </RowMenu>
      {open === 'restore' && <RestoreDialog token={token} onClose={close} />}
      {open === 'delete-vm' && <DeleteVmDialog token={token} onClose={close} />}
      {open === 'delete' && <DeleteDialog token={token} onClose={close} />}
      {open === 'history' && <TokenTimelineDialog token={token} onClose={close} />}
    </div>
  )
}

type DialogProps = { token: Token; onClose: () => void }

function RestoreDialog({ token, onClose }: DialogProps) {
  const restore = useAction(api.tokens.restore, {
    done: 'Token restored successfully',
    failed: 'The token was not restored',
    refresh: TOKENS_CHANGED,
  })
  const confirm = async () => {
    await restore.run({ params: { id: token.id } })
    onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Restore ${token.name}?`}
      action="Restore"
      onConfirm={() => void confirm()}
      isPending={restore.isPending}
    >
      {restoreWords(token)}
    </Confirm>
  )
}

function restoreWords({ assignedAt, expiresAt }: Token): string {
  if (!assignedAt) {
    return 'It goes on sale again, if its template or instance and its address are still free.'
  }
  return expiresAt && new Date(expiresAt).getTime() > Date.now()
    ? 'The client gets it back with the remaining time, and the VM starts again.'
    : 'The client gets it back switched off, because its time is over or was refunded. Renewing starts it again.'
}

/** Deletes the VM of an ended server before its grace period is over. */
function DeleteVmDialog({ token, onClose }: DialogProps) {
  const remove = useAction(api.instances.remove, {
    done: { title: 'Deleting...', description: token.name },
    failed: 'The VM was not deleted',
    refresh: TOKENS_CHANGED,
  })
  const confirm = async () => {
    if (token.assignedInstanceId === null) return
    const { ok } = await remove.run({ params: { id: token.assignedInstanceId } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete VM ${token.proxmoxVmId} now?`}
      action="Delete VM"
      isDangerous
      typed={String(token.proxmoxVmId)}
      onConfirm={() => void confirm()}
      isPending={remove.isPending}
    >
      It is destroyed with everything on it, and the server cannot be restored. This cannot be
      undone.
    </Confirm>
  )
}

function DeleteDialog(props: DialogProps) {
  return (
    <RemoveTokenDialog
      {...props}
      title={`Delete ${props.token.name} for good?`}
      failed={(error) => {
        const description = serverSentence(error)
        return { title: 'Failed to delete cancelled token', ...(description && { description }) }
      }}
    >
      The record of this token is deleted. This cannot be undone.
    </RemoveTokenDialog>
  )
}

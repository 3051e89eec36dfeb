import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ManagedUser } from '#shared/api/people/users.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { count } from '../../lib/format/words.ts'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'

type DeactivateDialogProps = { user: ManagedUser; onClose: () => void }

/**
 * Deactivating a client does not stop its servers: counts those that keep running, offers to
 * suspend them.
 */
export function DeactivateDialog({ user, onClose }: DeactivateDialogProps) {
  const suspendId = useId()
  const params = { id: user.id }
  const servers = useQuery({ ...query(api.users.servers, { params }), staleTime: 0 })
  const [isSuspending, setSuspending] = useState(false)
  const update = useAction(api.users.update, {
    done: { title: 'User deactivated' },
    failed: { title: 'Update failed', description: 'Failed to update user.' },
    refresh: [api.users.list, api.users.clients, api.instances.list],
  })
  const confirm = async () => {
    const body = { isActive: false, ...(isSuspending && { suspendServers: true }) }
    const { ok } = await update.run({ params, body })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Deactivate ${userName(user)}?`}
      action="Deactivate"
      isDangerous
      onConfirm={() => void confirm()}
      isPending={update.isPending}
    >
      <p>The client is signed out everywhere and cannot sign in again until you activate them.</p>
      <ListState query={servers} failure="The client’s servers could not be loaded">
        {({ count: of, suspended }) =>
          of - suspended === 0 ? (
            <p className="mt-3">No server of this client is running.</p>
          ) : (
            <div className="mt-3 space-y-3">
              <p>
                {count(of - suspended, 'server')} of this client{' '}
                {of - suspended === 1 ? 'goes' : 'go'} on running until the paid time is over.
              </p>
              <label htmlFor={suspendId} className="flex items-start gap-2">
                <Checkbox
                  id={suspendId}
                  checked={isSuspending}
                  onChange={(event) => setSuspending(event.target.checked)}
                />
                <span className="pt-0.5">Suspend them: they shut down and are kept.</span>
              </label>
            </div>
          )
        }
      </ListState>
    </Confirm>
  )
}

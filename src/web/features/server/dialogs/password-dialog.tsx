import type { Server } from '#shared/api/overview/servers.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { Confirm } from '../../../ui/overlay/confirm.tsx'
import { SERVER_CHANGED } from '../../../widgets/instance/server-changed.ts'

type PasswordDialogProps = {
  server: Pick<Server, 'id' | 'label' | 'status' | 'passwordWay'>
  onClose: () => void
}

/** A question before a running server restarts. */
export function PasswordDialog({ server, onClose }: PasswordDialogProps) {
  const change = useAction(api.servers.password, {
    done: { title: 'A new password is being set', description: server.label },
    failed: 'The password was not changed',
    refresh: SERVER_CHANGED,
  })
  const confirm = async () => {
    const { ok } = await change.run({ params: { id: server.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      title={`A new password for ${server.label}?`}
      action="Set a new password"
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={() => void confirm()}
    >
      {consequence(server)}
    </Confirm>
  )
}

function consequence({ status, passwordWay }: Pick<Server, 'status' | 'passwordWay'>): string {
  if (status === 'stopped') {
    return 'It is random, like the old one, and valid from the next start on. Then the SSH host keys change, too: your SSH client warns you once.'
  }
  if (passwordWay === 'agent') {
    return 'It is random, like the old one. The server keeps running; it restarts only if its system does not take the password otherwise.'
  }
  return 'It is random, like the old one. The server restarts to take it, and its SSH host keys change: your SSH client warns you once.'
}

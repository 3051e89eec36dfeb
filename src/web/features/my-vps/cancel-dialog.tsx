import type { ClientToken } from '#shared/api/client.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { keptThenDeleted } from '../../lib/grace-words.ts'
import { Confirm } from '../../ui/confirm.tsx'

type CancelDialogProps = { token: ClientToken; onClose: () => void }

export function CancelDialog({ token, onClose }: CancelDialogProps) {
  const cancel = useAction(api.client.cancel, {
    done: { title: 'Server cancelled', description: `${token.name} is stopped.` },
    failed: 'The server was not cancelled',
    refresh: [api.client.tokens, api.client.instances],
  })
  const confirm = async () => {
    const { ok } = await cancel.run({ params: { id: token.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title="Cancel this server?"
      action="Give the server up"
      isDangerous
      typed={token.name}
      onConfirm={() => void confirm()}
      isPending={cancel.isPending}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>It is switched off now and nobody can reach it any more.</li>
        <li>It {keptThenDeleted} with everything on it.</li>
        <li>The time you have left is not given back.</li>
      </ul>
    </Confirm>
  )
}

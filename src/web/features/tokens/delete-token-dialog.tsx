import type { Token } from '#shared/api/tokens.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { REFRESHED } from './refreshed.ts'
import { failedTo } from './token-notices.ts'

type DeleteTokenDialogProps = { token: Token; onClose: () => void }

export function DeleteTokenDialog({ token, onClose }: DeleteTokenDialogProps) {
  const remove = useAction(api.tokens.remove, {
    done: 'Token deleted successfully',
    failed: failedTo('Failed to delete token'),
    refresh: REFRESHED,
  })
  const confirm = async () => {
    await remove.run({ params: { id: token.id } })
    onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title="Delete Token"
      action="Delete"
      isDangerous
      onConfirm={() => void confirm()}
      isPending={remove.isPending}
    >
      <p>Are you sure you want to delete "{token.name}"?</p>
      <p className="mt-2">It leaves the marketplace and moves to Cancelled Instances.</p>
    </Confirm>
  )
}

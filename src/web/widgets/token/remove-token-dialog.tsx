import type { ReactNode } from 'react'
import type { Token } from '#shared/api/shop/tokens.ts'
import { api } from '../../api/table.ts'
import type { Notice } from '../../api/toasts.ts'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { TOKENS_CHANGED } from './tokens-changed.ts'

type RemoveTokenDialogProps = {
  token: Token
  title: string
  failed: (error: Error) => Notice
  children: ReactNode
  onClose: () => void
}

/** Asks before a token leaves the marketplace, or its record is removed from the cancelled ones. */
export function RemoveTokenDialog(props: RemoveTokenDialogProps) {
  const { token, title, failed, children, onClose } = props
  const remove = useAction(api.tokens.remove, {
    done: 'Token deleted successfully',
    failed,
    refresh: TOKENS_CHANGED,
  })
  const confirm = async () => {
    await remove.run({ params: { id: token.id } })
    onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={title}
      action="Delete"
      isDangerous
      onConfirm={() => void confirm()}
      isPending={remove.isPending}
    >
      {children}
    </Confirm>
  )
}

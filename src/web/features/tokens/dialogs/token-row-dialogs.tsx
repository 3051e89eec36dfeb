import type { Token } from '#shared/api/shop/tokens.ts'
import { EndServerDialog } from '../../../widgets/instance/end-server-dialog.tsx'
import { RevealLoginDialog, revealOf } from '../../../widgets/token/reveal-login-dialog.tsx'
import { TokenTimelineDialog } from '../../../widgets/token/token-timeline-dialog.tsx'
import { DeleteTokenDialog } from './delete-token-dialog.tsx'
import { DuplicateTokenDialog } from './duplicate-token-dialog.tsx'
import { EditTokenDialog } from './edit-token-dialog.tsx'

export type OpenRowDialog = 'edit' | 'reveal' | 'duplicate' | 'history' | 'delete' | 'end'

type TokenRowDialogProps = { open: OpenRowDialog; token: Token; onClose: () => void }

export function TokenRowDialog({ open, ...props }: TokenRowDialogProps) {
  switch (open) {
    case 'reveal':
      return <RevealLoginDialog of={revealOf(props.token)} {...props} />
    case 'edit':
      return <EditTokenDialog {...props} />
    case 'duplicate':
      return <DuplicateTokenDialog {...props} />
    case 'history':
      return <TokenTimelineDialog {...props} />
    case 'delete':
      return <DeleteTokenDialog {...props} />
    case 'end':
      return <EndOfToken {...props} />
  }
}

function EndOfToken({ token, onClose }: Omit<TokenRowDialogProps, 'open'>) {
  if (token.assignedInstanceId === null) return null
  const instance = { id: token.assignedInstanceId, name: token.name }
  return <EndServerDialog instance={instance} audience="operator" onClose={onClose} />
}

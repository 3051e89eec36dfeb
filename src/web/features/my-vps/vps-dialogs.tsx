import { EndServerDialog } from '../../widgets/end-server-dialog.tsx'
import { RenewDialog } from '../../widgets/renew-dialog.tsx'
import { TokenTimelineDialog } from '../../widgets/token-timeline-dialog.tsx'
import type { VpsCardProps } from './vps-card.tsx'

export type OpenDialog = 'renew' | 'cancel' | 'history'

type VpsDialogProps = Pick<VpsCardProps, 'token' | 'now'> & {
  open: OpenDialog
  onClose: () => void
}

/** What the buttons of a card open; fetched with the first press. */
export function VpsDialog({ open, token, now, onClose }: VpsDialogProps) {
  switch (open) {
    case 'renew':
      return <RenewDialog token={token} now={now} onClose={onClose} />
    case 'cancel':
      return <EndOwn token={token} onClose={onClose} />
    case 'history':
      return <TokenTimelineDialog token={token} onClose={onClose} />
  }
}

function EndOwn({ token, onClose }: Pick<VpsDialogProps, 'token' | 'onClose'>) {
  if (token.assignedInstanceId === null) return null
  const instance = { id: token.assignedInstanceId, name: token.name }
  return <EndServerDialog instance={instance} audience="owner" onClose={onClose} />
}

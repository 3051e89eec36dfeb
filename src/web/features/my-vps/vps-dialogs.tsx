import { RenewDialog } from '../../widgets/billing/renew-dialog.tsx'
import { TokenTimelineDialog } from '../../widgets/token/token-timeline-dialog.tsx'
import type { VpsCardProps } from './vps-card.tsx'

export type OpenDialog = 'renew' | 'history'

type VpsDialogProps = Pick<VpsCardProps, 'token' | 'now'> & {
  open: OpenDialog
  onClose: () => void
}

/** What the buttons of a card open; fetched with the first press. */
export function VpsDialog({ open, token, now, onClose }: VpsDialogProps) {
  switch (open) {
    case 'renew':
      return <RenewDialog token={token} now={now} onClose={onClose} />
    case 'history':
      return <TokenTimelineDialog token={token} onClose={onClose} />
  }
}

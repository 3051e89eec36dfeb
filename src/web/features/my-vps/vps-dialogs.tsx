import type { ClientToken } from '#shared/api/overview/client.ts'
import { RenewDialog } from '../../widgets/billing/renew-dialog.tsx'
import { TokenTimelineDialog } from '../../widgets/token/token-timeline-dialog.tsx'

export type OpenDialog = 'renew' | 'history'

type VpsDialogProps = {
  token: ClientToken
  now: number
  open: OpenDialog
  onClose: () => void
}

/** The dialogs behind a card's buttons; loaded with the first press. */
export function VpsDialog({ open, token: { label, ...token }, now, onClose }: VpsDialogProps) {
  // The server's own name; that of the token is the same for every server of a package.
  const named = { ...token, name: label }
  switch (open) {
    case 'renew':
      return <RenewDialog token={named} now={now} onClose={onClose} />
    case 'history':
      return <TokenTimelineDialog token={named} onClose={onClose} />
  }
}

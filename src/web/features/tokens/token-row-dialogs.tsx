import type { Token } from '#shared/api/tokens.ts'
import { TokenTimelineDialog } from '../../widgets/token-timeline-dialog.tsx'
import { DeleteTokenDialog } from './delete-token-dialog.tsx'
import { DuplicateTokenDialog } from './duplicate-token-dialog.tsx'
import { EditTokenDialog } from './edit-token-dialog.tsx'

export type OpenRowDialog = 'edit' | 'duplicate' | 'history' | 'delete'

type TokenRowDialogProps = { open: OpenRowDialog; token: Token; onClose: () => void }

export function TokenRowDialog({ open, ...props }: TokenRowDialogProps) {
  switch (open) {
    case 'edit':
      return <EditTokenDialog {...props} />
    case 'duplicate':
      return <DuplicateTokenDialog {...props} />
    case 'history':
      return <TokenTimelineDialog {...props} />
    case 'delete':
      return <DeleteTokenDialog {...props} />
  }
}

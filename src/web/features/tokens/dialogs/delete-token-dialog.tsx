import type { Token } from '#shared/api/shop/tokens.ts'
import { RemoveTokenDialog } from '../../../widgets/token/remove-token-dialog.tsx'
import { failedTo } from './token-notices.ts'

export function DeleteTokenDialog(props: { token: Token; onClose: () => void }) {
  return (
    <RemoveTokenDialog {...props} title="Delete Token" failed={failedTo('Failed to delete token')}>
      <p>Are you sure you want to delete "{props.token.name}"?</p>
      <p className="mt-2">It leaves the marketplace and moves to Cancelled Instances.</p>
    </RemoveTokenDialog>
  )
}

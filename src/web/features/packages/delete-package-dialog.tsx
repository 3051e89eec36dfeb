import type { Package } from '#shared/api/shop/packages.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../ui/overlay/confirm.tsx'

type DeletePackageDialogProps = { plan: Package; onClose: () => void }

export function DeletePackageDialog({ plan, onClose }: DeletePackageDialogProps) {
  const remove = useAction(api.packages.remove, {
    done: 'Package deleted successfully',
    failed: 'Deletion Failed',
    refresh: [api.packages.list, api.packages.public],
  })
  const confirm = async () => {
    const { ok } = await remove.run({ params: { id: plan.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete ${plan.name}?`}
      action="Delete"
      isDangerous
      onConfirm={() => void confirm()}
      isPending={remove.isPending}
    >
      It disappears from the pricing page at once. Orders made for it stay as they are.
    </Confirm>
  )
}

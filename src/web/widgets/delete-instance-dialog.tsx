import type { Instance } from '#shared/api/instances.ts'
import { sentenceOf } from '../api/api-error.ts'
import { api } from '../api/table.ts'
import { useAction } from '../api/use-action.ts'
import { instanceName } from '../lib/instance-status.ts'
import { Confirm } from '../ui/confirm.tsx'

type DeleteInstanceDialogProps = { instance: Instance; onClose: () => void; onDeleted?: () => void }

export function DeleteInstanceDialog({ instance, onClose, onDeleted }: DeleteInstanceDialogProps) {
  const remove = useAction(api.instances.remove, {
    done: 'Instance deleted successfully',
    failed: (error) => ({
      title: 'Error',
      description: `Failed to delete instance: ${sentenceOf(error)}`,
    }),
    refresh: [api.instances.list, api.dashboard.clients, api.nodes.list, api.stats.get],
  })
  const name = instanceName(instance)
  const confirm = async () => {
    const { ok } = await remove.run({ params: { id: instance.id } })
    if (!ok) return
    onClose()
    onDeleted?.()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete"
      isDangerous
      typed={name}
      onConfirm={() => void confirm()}
      isPending={remove.isPending}
    >
      A VM made here is destroyed with its disks; this cannot be undone. A VM that was made
      elsewhere keeps running and is only forgotten.
    </Confirm>
  )
}

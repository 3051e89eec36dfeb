import type { Instance } from '#shared/api/servers/instances.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { usePlaces } from '../cluster/use-places.ts'

type DeleteInstanceDialogProps = { instance: Instance; onClose: () => void; onDeleted?: () => void }

export function DeleteInstanceDialog({ instance, onClose, onDeleted }: DeleteInstanceDialogProps) {
  const name = instanceName(instance)
  const places = usePlaces()
  const isGone = instance.status === 'missing'
  const remove = useAction(api.instances.remove, {
    done: isGone ? 'Instance deleted successfully' : { title: 'Deleting...', description: name },
    failed: (error) => ({
      title: 'Error',
      description: `Failed to delete instance: ${sentenceOf(error)}`,
    }),
    refresh: [api.instances.list, api.dashboard.clients, api.nodes.list, api.stats.get],
  })
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
      typed={String(instance.vmId)}
      onConfirm={() => void confirm()}
      isPending={remove.isPending}
    >
      {isGone
        ? 'Its cluster no longer has this VM. It is only taken off the list.'
        : `VM ${instance.vmId} on ${places.nodeOf(instance)} is destroyed with its disks. This cannot be undone.`}
    </Confirm>
  )
}

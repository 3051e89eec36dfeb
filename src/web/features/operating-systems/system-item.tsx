import { useState } from 'react'
import type { OperatingSystem } from '#shared/api/servers/operating-systems.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Switch } from '../../ui/form/switch.tsx'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { EditDelete } from '../../widgets/list/edit-delete.tsx'
import { SystemEditor } from './system-editor.tsx'
import { fieldsOf, type SystemFields } from './system-form.ts'

type ItemProps = { system: OperatingSystem }

const REFRESH = [api.operatingSystems.list]

export function SystemItem({ system }: ItemProps) {
  const [mode, setMode] = useState<'shown' | 'edited' | 'deleted'>('shown')
  const update = useAction(api.operatingSystems.update, {
    done: 'Operating system updated successfully',
    failed: { title: 'Error', description: 'Failed to update operating system' },
    refresh: REFRESH,
  })
  const change = (body: Partial<SystemFields & { isActive: boolean }>) =>
    update.run({ params: { id: system.id }, body })

  if (mode === 'edited') {
    return (
      <li className="px-5 py-4">
        <SystemEditor
          label={`Edit ${system.name}`}
          start={fieldsOf(system)}
          action="Save"
          isPending={update.isPending}
          onSave={async (fields) => {
            const { ok } = await change(fields)
            if (ok) setMode('shown')
          }}
          onCancel={() => setMode('shown')}
        />
      </li>
    )
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0 flex-1 basis-40">
        <p className="break-words font-semibold">{system.name}</p>
        {system.description && <p className="break-words text-ink-soft">{system.description}</p>}
      </div>
      <span className="flex items-center gap-2">
        <Switch
          checked={system.isActive}
          disabled={update.isPending}
          aria-label={`${system.name} is active`}
          onChange={(event) => void change({ isActive: event.target.checked })}
        />
        <span className="w-14">{system.isActive ? 'Active' : 'Inactive'}</span>
      </span>
      <EditDelete
        name={system.name}
        onEdit={() => setMode('edited')}
        onDelete={() => setMode('deleted')}
      />
      {mode === 'deleted' && <DeleteSystem system={system} onClose={() => setMode('shown')} />}
    </li>
  )
}

function DeleteSystem({ system, onClose }: ItemProps & { onClose: () => void }) {
  const remove = useAction(api.operatingSystems.remove, {
    done: 'Operating system deleted successfully',
    failed: { title: 'Error', description: 'Failed to delete operating system' },
    refresh: REFRESH,
  })
  const confirm = async () => {
    const { ok } = await remove.run({ params: { id: system.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete ${system.name}?`}
      action="Delete"
      isDangerous
      onConfirm={() => void confirm()}
      isPending={remove.isPending}
    >
      It is no longer offered. While assigned tokens or packages depend on it, it cannot be deleted;
      switch it off instead.
    </Confirm>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Disc3, Plus } from 'lucide-react'
import { useState } from 'react'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { SystemEditor } from './system-editor.tsx'
import { EMPTY_SYSTEM, type SystemFields } from './system-form.ts'
import { SystemItem } from './system-item.tsx'

/** The operating systems buyers can choose from. */
export function OperatingSystemsCard() {
  const systems = useQuery(query(api.operatingSystems.list))
  const [isAdding, setAdding] = useState(false)
  return (
    <Card className="max-w-3xl">
      <CardHeader
        title="Operating Systems"
        description="What tokens and packages can offer. An inactive one is not offered any more."
        action={
          <Button variant="primary" disabled={isAdding} onClick={() => setAdding(true)}>
            <Plus aria-hidden="true" className="size-4" />
            Add Operating System
          </Button>
        }
      />
      {isAdding && <NewSystem onClose={() => setAdding(false)} />}
      <ListState query={systems} failure="The operating systems could not be loaded">
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={Disc3} title="No operating systems yet">
              Add one, so that tokens and packages can name it.
            </EmptyState>
          ) : (
            <ul className="divide-y">
              {list.map((system) => (
                <SystemItem key={system.id} system={system} />
              ))}
            </ul>
          )
        }
      </ListState>
    </Card>
  )
}

function NewSystem({ onClose }: { onClose: () => void }) {
  const create = useAction(api.operatingSystems.create, {
    done: 'Operating system created successfully',
    failed: { title: 'Error', description: 'Failed to create operating system' },
    refresh: [api.operatingSystems.list],
  })
  const save = async ({ name, description }: SystemFields) => {
    const { ok } = await create.run({ body: { name, description, isActive: true } })
    if (ok) onClose()
  }
  return (
    <div className="border-b px-5 py-4">
      <SystemEditor
        label="New operating system"
        start={EMPTY_SYSTEM}
        action="Add"
        isPending={create.isPending}
        onSave={save}
        onCancel={onClose}
      />
    </div>
  )
}

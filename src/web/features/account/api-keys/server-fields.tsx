import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { instanceName } from '../../../lib/instance/instance-status.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'

type ServerFieldsProps = { chosen: readonly number[]; onChange: (chosen: number[]) => void }

/** The only servers the key reaches; with none chosen it reaches all, also later ones. */
export function ServerFields({ chosen, onChange }: ServerFieldsProps) {
  const id = useId()
  const { data = [] } = useQuery(query(api.client.instances))
  if (data.length === 0) return null
  return (
    <fieldset>
      <legend className="font-semibold">Only these servers (optional)</legend>
      <p className="mb-2 text-ink-soft">With none chosen it reaches all of them.</p>
      <div className="max-h-40 space-y-1 overflow-y-auto">
        {data.map((instance) => (
          <label
            key={instance.id}
            htmlFor={`${id}-${instance.id}`}
            className="flex items-center gap-3 py-1"
          >
            <Checkbox
              id={`${id}-${instance.id}`}
              checked={chosen.includes(instance.id)}
              onChange={({ target }) =>
                onChange(
                  target.checked
                    ? [...chosen, instance.id]
                    : chosen.filter((one) => one !== instance.id),
                )
              }
            />
            <span className="min-w-0 break-words">{instanceName(instance)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

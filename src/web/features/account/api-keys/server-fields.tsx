import { useQuery } from '@tanstack/react-query'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { instanceName } from '../../../lib/instance/instance-status.ts'
import { CheckboxList } from '../../../ui/form/checkbox-list.tsx'

type ServerFieldsProps = { chosen: readonly number[]; onChange: (chosen: number[]) => void }

/** The only servers the key reaches; with none chosen it reaches all, also later ones. */
export function ServerFields(props: ServerFieldsProps) {
  const { data = [] } = useQuery(query(api.client.instances))
  if (data.length === 0) return null
  return (
    <CheckboxList
      legend="Only these servers (optional)"
      hint="With none chosen it reaches all of them."
      options={data.map((instance) => ({ value: instance.id, words: instanceName(instance) }))}
      className="max-h-40 overflow-y-auto"
      {...props}
    />
  )
}

import { X } from 'lucide-react'
import { actionWords } from '../../lib/format/action-words.ts'
import { Button } from '../../ui/form/button.tsx'
import { Input } from '../../ui/form/input.tsx'
import { Label } from '../../ui/form/label.tsx'
import { Select } from '../../ui/form/select.tsx'
import type { AuditView } from './audit-view.ts'
import { ExportButton } from './export-button.tsx'

const DAYS = [
  ['from', 'From'],
  ['to', 'To'],
] as const

type AuditFiltersProps = {
  view: AuditView
  actions: readonly string[]
  onChange: (next: Partial<AuditView>) => void
}

export function AuditFilters({ view, actions, onChange }: AuditFiltersProps) {
  const known = view.action && !actions.includes(view.action) ? [view.action, ...actions] : actions
  const options = known.map((action) => ({ value: action, label: actionWords(action) }))
  return (
    <div className="flex flex-wrap items-center gap-3 border-b px-5 py-3">
      <Label htmlFor="audit-action">Action</Label>
      <Select
        id="audit-action"
        className="w-full sm:w-64"
        value={view.action ?? ''}
        options={[{ value: '', label: 'All actions' }, ...options]}
        onChange={(event) =>
          onChange({ action: event.target.value || undefined, before: undefined })
        }
      />
      {DAYS.map(([name, label]) => (
        <span key={name} className="flex items-center gap-2">
          <Label htmlFor={`audit-${name}`}>{label}</Label>
          <Input
            id={`audit-${name}`}
            type="date"
            className="w-40"
            value={view[name] ?? ''}
            onChange={(event) =>
              onChange({ [name]: event.target.value || undefined, before: undefined })
            }
          />
        </span>
      ))}
      {view.userId !== undefined && (
        <Button size="sm" onClick={() => onChange({ userId: undefined, before: undefined })}>
          Account {view.userId}
          <X aria-hidden="true" className="size-3.5" />
          <span className="sr-only">Show all accounts</span>
        </Button>
      )}
      <span className="sm:ml-auto">
        <ExportButton view={view} />
      </span>
    </div>
  )
}

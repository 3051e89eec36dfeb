import { X } from 'lucide-react'
import { actionWords } from '../../lib/format/action-words.ts'
import { Button } from '../../ui/form/button.tsx'
import { Label } from '../../ui/form/label.tsx'
import { Select } from '../../ui/form/select.tsx'
import { PeriodFields } from '../../widgets/list/period-fields.tsx'
import type { AuditView } from './audit-view.ts'
import { ExportButton } from './export-button.tsx'

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
      <PeriodFields
        id="audit"
        days={view}
        onChange={(days) => onChange({ ...days, before: undefined })}
      />
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

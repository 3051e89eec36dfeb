import { Input } from '../../ui/form/input.tsx'
import { Label } from '../../ui/form/label.tsx'

const DAYS = [
  ['from', 'From'],
  ['to', 'To'],
] as const

type Days = { from: string | undefined; to: string | undefined }
type PeriodFieldsProps = { id: string; days: Days; onChange: (days: Partial<Days>) => void }

/** The first and the last day, in server time. */
export function PeriodFields({ id, days, onChange }: PeriodFieldsProps) {
  return DAYS.map(([name, label]) => (
    <span key={name} className="flex items-center gap-2">
      <Label htmlFor={`${id}-${name}`}>{label}</Label>
      <Input
        id={`${id}-${name}`}
        type="date"
        className="w-40"
        value={days[name] ?? ''}
        onChange={(event) => onChange({ [name]: event.target.value || undefined })}
      />
    </span>
  ))
}

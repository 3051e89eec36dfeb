import { type ReactNode, useId } from 'react'
import { Label } from './label.tsx'

type ControlProps = {
  id: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

type FieldProps = {
  label: string
  /** Shown under the control as long as there is no error. */
  hint?: ReactNode
  error?: string | undefined
  /** The control, given the attributes that tie it to label, hint and error. */
  children: (control: ControlProps) => ReactNode
  className?: string
}

/** Label, control and its error. */
export function Field({ label, hint, error, children, className }: FieldProps) {
  const id = useId()
  const noteId = `${id}-note`
  const control: ControlProps = {
    id,
    'aria-invalid': error ? true : undefined,
    'aria-describedby': error || hint ? noteId : undefined,
  }
  return (
    <div className={className}>
      <Label htmlFor={id} className="mb-1.5 block">
        {label}
      </Label>
      {children(control)}
      <div id={noteId} aria-live="polite" className="mt-1.5 text-sm empty:hidden">
        {error ? (
          <span className="text-bad">{error}</span>
        ) : (
          hint && <span className="text-ink-soft">{hint}</span>
        )}
      </div>
    </div>
  )
}

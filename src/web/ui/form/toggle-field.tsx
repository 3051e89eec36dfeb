import { type ComponentProps, type ReactNode, useId } from 'react'
import { Switch } from './switch.tsx'

type ToggleFieldProps = Omit<ComponentProps<typeof Switch>, 'id'> & {
  label: string
  hint?: ReactNode
}

/** A switch with its label on the left. */
export function ToggleField({ label, hint, className, ...props }: ToggleFieldProps) {
  const id = useId()
  return (
    <div className={`flex items-center justify-between gap-4 ${className ?? ''}`}>
      <div className="min-w-0">
        <label htmlFor={id} className="block font-semibold">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-ink-soft">
            {hint}
          </p>
        )}
      </div>
      <Switch {...props} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
    </div>
  )
}

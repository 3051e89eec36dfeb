import clsx from 'clsx'
import { type ReactNode, useId } from 'react'
import { Checkbox } from './checkbox.tsx'

type CheckboxListProps<Value> = {
  legend: string
  hint?: string
  error?: string | undefined
  options: readonly { value: Value; words: ReactNode }[]
  chosen: readonly Value[]
  onChange: (chosen: Value[]) => void
  className?: string
}

/** Several of a list, each on its own. */
export function CheckboxList<Value extends string | number>(props: CheckboxListProps<Value>) {
  const { legend, hint, error, options, chosen, onChange, className } = props
  const id = useId()
  const errorId = `${id}-error`
  const toggle = (value: Value, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, value] : chosen.filter((one) => one !== value))
  return (
    <fieldset aria-describedby={error ? errorId : undefined}>
      <legend className="font-semibold">{legend}</legend>
      {hint && <p className="text-ink-soft">{hint}</p>}
      <div className={clsx('mt-2 space-y-1', className)}>
        {options.map(({ value, words }) => (
          <label key={value} htmlFor={`${id}-${value}`} className="flex items-center gap-3 py-1">
            <Checkbox
              id={`${id}-${value}`}
              checked={chosen.includes(value)}
              onChange={({ target }) => toggle(value, target.checked)}
            />
            <span className="min-w-0 break-words">{words}</span>
          </label>
        ))}
      </div>
      {error && (
        <p id={errorId} className="text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}

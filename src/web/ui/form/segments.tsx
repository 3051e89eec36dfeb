import clsx from 'clsx'

type SegmentsProps = {
  label: string
  options: readonly { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

/** A few choices side by side, one of them selected. */
export function Segments({ label, options, value, onChange }: SegmentsProps) {
  return (
    <fieldset className="inline-flex rounded-md border p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={clsx(
            'h-7 rounded-sm px-2.5 font-semibold text-xs',
            option.value === value ? 'bg-ink text-paper' : 'text-ink-soft hover:text-ink',
          )}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}

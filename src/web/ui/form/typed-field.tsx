import { Field } from './field.tsx'
import { Input } from './input.tsx'

type TypedFieldProps = { expected: string; value: string; onChange: (text: string) => void }

/** Must match `expected` before an action that cannot be undone. */
export function TypedField({ expected, value, onChange }: TypedFieldProps) {
  return (
    <Field label={`Type ${expected} to confirm`}>
      {(control) => (
        <Input
          {...control}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

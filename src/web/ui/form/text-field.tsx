import type { ComponentProps } from 'react'
import { Field } from './field.tsx'
import { Input } from './input.tsx'

type TextFieldProps = Omit<ComponentProps<typeof Field>, 'children' | 'className'> &
  ComponentProps<typeof Input>

/** A one-line field with its label and its error. */
export function TextField({ label, hint, error, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Input {...control} {...input} />}
    </Field>
  )
}

import type { UseFormReturn } from 'react-hook-form'
import { Field } from '../../../ui/form/field.tsx'
import { Input } from '../../../ui/form/input.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { TextField } from '../../../ui/form/text-field.tsx'
import { GeneratedPassword } from './generated-password.tsx'
import { systemChoices } from './token-choices.ts'
import { clearedByType, type TokenFields } from './token-form.ts'
import type { useTokenChoices } from './use-token-choices.ts'

export type PartProps = {
  form: UseFormReturn<TokenFields>
  choices: ReturnType<typeof useTokenChoices>
}

const TYPES = [
  { value: 'ip_mac', label: 'IP/MAC: made from a template' },
  { value: 'ready', label: 'Ready: an instance that already runs' },
]

/**
 * Clears the fields that a new type or node invalidates, without showing errors before the form is
 * sent.
 */
export function clear(form: UseFormReturn<TokenFields>, fields: Partial<TokenFields>) {
  for (const [name, value] of Object.entries(fields)) {
    form.setValue(name as keyof TokenFields, value)
    form.clearErrors(name as keyof TokenFields)
  }
}

export function NameField({ form }: Pick<PartProps, 'form'>) {
  const { register, formState } = form
  return (
    <Field
      label="Name"
      hint="The size is read from it, as in “2 CPU, 4 GB RAM, 80 GB SSD”."
      error={formState.errors.name?.message}
      className="sm:col-span-2"
    >
      {(control) => (
        <Input {...control} {...register('name')} autoComplete="off" className="scroll-mt-12" />
      )}
    </Field>
  )
}

export function TypeField({ form }: Pick<PartProps, 'form'>) {
  const { register, formState } = form
  const onChange = (event: { target: { value: string } }) =>
    clear(form, clearedByType(event.target.value === 'ready' ? 'ready' : 'ip_mac'))
  return (
    <Field label="Token type" error={formState.errors.tokenType?.message} className="sm:col-span-2">
      {(control) => (
        <Select {...control} {...register('tokenType', { onChange })} options={TYPES} />
      )}
    </Field>
  )
}

export function SystemField({ form, choices, className }: PartProps & { className?: string }) {
  const { register, formState } = form
  return (
    <Field
      label="OS type"
      error={formState.errors.osType?.message ?? failure(choices.systems)}
      {...(className && { className })}
    >
      {(control) => (
        <Select
          {...control}
          {...register('osType')}
          options={systemChoices(choices.systems.data, form.getValues('osType'))}
        />
      )}
    </Field>
  )
}

type CredentialFieldsProps = Pick<PartProps, 'form'> & { passwordHint?: string }

export function CredentialFields({ form, passwordHint }: CredentialFieldsProps) {
  const { register, formState } = form
  return (
    <>
      <TextField
        label="Username"
        error={formState.errors.username?.message}
        {...register('username')}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className="font-mono"
      />
      <GeneratedPassword form={form} hint={passwordHint} />
    </>
  )
}

export function PriceFields({ form }: Pick<PartProps, 'form'>) {
  const { register, formState } = form
  return (
    <>
      <TextField
        label="Monthly price (USD)"
        hint="0 makes it a free trial."
        error={formState.errors.monthlyPrice?.message}
        {...register('monthlyPrice')}
        inputMode="decimal"
        placeholder="5.00"
      />
      <Field label="Duration (days)" error={formState.errors.durationDays?.message}>
        {(control) => <Input {...control} {...register('durationDays')} inputMode="numeric" />}
      </Field>
    </>
  )
}

export function ReachFields({ form }: Pick<PartProps, 'form'>) {
  const { register, formState } = form
  return (
    <>
      <Field
        label="Client IP (optional)"
        hint="Where the client connects to, if not to the VM's own address."
        error={formState.errors.clientIpAddress?.message}
      >
        {(control) => <Input {...control} {...register('clientIpAddress')} className="font-mono" />}
      </Field>
      <Field label="Domain (optional)" error={formState.errors.domain?.message}>
        {(control) => <Input {...control} {...register('domain')} className="font-mono" />}
      </Field>
    </>
  )
}

/** A list that could not be read: otherwise the field would be empty without a reason. */
export const failure = ({ isError }: { isError: boolean }): string | undefined =>
  isError ? 'The choices could not be loaded. Close and try again.' : undefined

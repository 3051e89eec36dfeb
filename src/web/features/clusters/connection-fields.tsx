import type { UseFormReturn } from 'react-hook-form'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { PasswordInput } from '../../ui/form/password-input.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { ToggleField } from '../../ui/form/toggle-field.tsx'
import type { ConnectionFields } from './cluster-form.ts'

type ConnectionFieldsetProps = {
  form: UseFormReturn<ConnectionFields>
  /** A stored password need not be typed again. */
  hasPassword: boolean
}

export function ConnectionFieldset({ form, hasPassword }: ConnectionFieldsetProps) {
  const { register, formState } = form
  const { errors } = formState
  return (
    <div className="grid gap-5 sm:grid-cols-[minmax(0,1fr)_7rem]">
      <Field label="Name" error={errors.name?.message} className="sm:col-span-2">
        {(control) => <Input {...control} {...register('name')} autoComplete="off" />}
      </Field>
      <TextField
        label="Host"
        error={errors.host?.message}
        {...register('host')}
        placeholder="pve.example.net"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className="font-mono"
      />
      <TextField
        label="Port"
        error={errors.port?.message}
        {...register('port')}
        inputMode="numeric"
        autoComplete="off"
        className="font-mono"
      />
      <Field
        label="Username"
        hint="user@realm, or user@realm!id for an API token"
        error={errors.username?.message}
        className="sm:col-span-2"
      >
        {(control) => (
          <Input
            {...control}
            {...register('username')}
            placeholder="vps@pve!hushbox"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            className="font-mono"
          />
        )}
      </Field>
      <Field
        label="Password or token secret"
        hint={
          hasPassword
            ? 'Leave empty to keep the stored one.'
            : 'Stored encrypted. It never leaves the server again.'
        }
        error={errors.password?.message}
        className="sm:col-span-2"
      >
        {(control) => (
          <PasswordInput {...control} {...register('password')} autoComplete="new-password" />
        )}
      </Field>
      <ToggleField
        {...register('isDefault')}
        label="Default cluster"
        hint="Preselected when there is more than one cluster."
        className="sm:col-span-2"
      />
    </div>
  )
}

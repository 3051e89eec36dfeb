import type { FieldErrors, UseFormRegister } from 'react-hook-form'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { Select } from '../../ui/form/select.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import type { UserFields } from './user-form.ts'

const ROLES = [
  { value: 'client', label: 'Client' },
  { value: 'admin', label: 'Administrator' },
]

const TEXT_FIELDS: readonly [
  name: 'firstName' | 'lastName' | 'email' | 'mobileNumber',
  label: string,
  type: string,
][] = [
  ['firstName', 'First name', 'text'],
  ['lastName', 'Last name', 'text'],
  ['email', 'E-mail', 'email'],
  ['mobileNumber', 'Mobile number', 'tel'],
]

type UserFieldsProps = {
  register: UseFormRegister<UserFields>
  errors: FieldErrors<UserFields>
}

export function UserFieldset({ register, errors }: UserFieldsProps) {
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      {TEXT_FIELDS.map(([name, label, type]) => (
        <Field key={name} label={label} error={errors[name]?.message}>
          {(control) => <Input {...control} {...register(name)} type={type} autoComplete="off" />}
        </Field>
      ))}
      <Field label="Role" error={errors.role?.message}>
        {(control) => <Select {...control} {...register('role')} options={ROLES} />}
      </Field>
      <Field label="Active" hint="An inactive account cannot sign in.">
        {(control) => (
          <span className="flex h-10 items-center">
            <Switch {...control} {...register('isActive')} />
          </span>
        )}
      </Field>
    </div>
  )
}

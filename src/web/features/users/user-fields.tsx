import type { FieldErrors, UseFormRegister } from 'react-hook-form'
import { ROLE_HINTS, ROLE_NAMES } from '#shared/rules/people/role-names.ts'
import { mayManage, ROLES, type Role } from '#shared/rules/people/roles.ts'
import { useMe } from '../../api/session.ts'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { Select } from '../../ui/form/select.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import type { UserFields } from './user-form.ts'

const CHOICES = ROLES.toReversed().map((value) => ({ value, label: ROLE_NAMES[value] }))

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
  /** What the chosen role may. */
  role: Role
  /** Nobody changes their own role. */
  isOwn?: boolean
}

export function UserFieldset({ register, errors, role, isOwn = false }: UserFieldsProps) {
  const me = useMe()
  // Nobody gives a role that may do more than their own.
  const choices = CHOICES.filter(({ value }) =>
    isOwn ? value === me.role : mayManage(me.role, value),
  )
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      {TEXT_FIELDS.map(([name, label, type]) => (
        <Field key={name} label={label} error={errors[name]?.message}>
          {(control) => <Input {...control} {...register(name)} type={type} autoComplete="off" />}
        </Field>
      ))}
      <Field
        label="Role"
        error={errors.role?.message}
        hint={isOwn ? 'Another administrator can change your role.' : ROLE_HINTS[role]}
      >
        {(control) => <Select {...control} {...register('role')} options={choices} />}
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

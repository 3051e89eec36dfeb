import { type FormEvent, useState } from 'react'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import {
  checkPasswordForm,
  type PasswordErrors,
  type PasswordForm,
} from '../../lib/forms/password-rules.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { PasswordInput } from '../../ui/form/password-input.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { SimulatedNote } from './simulated-note.tsx'

const FIELDS: readonly [name: keyof PasswordForm, label: string, autoComplete: string][] = [
  ['currentPassword', 'Current password', 'current-password'],
  ['newPassword', 'New password', 'new-password'],
  ['confirmPassword', 'Confirm new password', 'new-password'],
]

export function PasswordCard({ isSimulated }: { isSimulated: boolean }) {
  return (
    <Card>
      <CardHeader
        title="Change password"
        description="Changing it signs you out everywhere else."
      />
      {isSimulated ? <SimulatedNote /> : <ChangeForm />}
    </Card>
  )
}

function ChangeForm() {
  const [errors, setErrors] = useState<PasswordErrors>({})
  const change = useAction(api.account.changePassword, {
    done: { title: 'Password changed', description: 'Your other sessions have ended.' },
    failed: 'Password change failed',
    refresh: [api.account.sessions, api.account.activity],
  })

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const values = readForm(new FormData(form))
    const found = checkPasswordForm(values)
    setErrors(found)
    const [wrong] = FIELDS.filter(([name]) => found[name])
    if (wrong) return form.querySelector<HTMLInputElement>(`[name=${wrong[0]}]`)?.focus()
    const { currentPassword, newPassword } = values
    const { ok } = await change.run({ body: { currentPassword, newPassword } })
    if (ok) form.reset()
  }

  return (
    <form onSubmit={submit} noValidate>
      <CardBody className="max-w-md space-y-5">
        {FIELDS.map(([name, label, autoComplete]) => (
          <Field key={name} label={label} error={errors[name]}>
            {(control) => <PasswordInput {...control} name={name} autoComplete={autoComplete} />}
          </Field>
        ))}
        <Button type="submit" variant="primary" isPending={change.isPending}>
          Change password
        </Button>
      </CardBody>
    </form>
  )
}

const readForm = (data: FormData): PasswordForm => ({
  currentPassword: String(data.get('currentPassword')),
  newPassword: String(data.get('newPassword')),
  confirmPassword: String(data.get('confirmPassword')),
})

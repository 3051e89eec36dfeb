import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { loginPath } from '../../lib/paths/paths.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { PasswordInput } from '../../ui/form/password-input.tsx'
import { Textarea } from '../../ui/form/textarea.tsx'
import { AuthCard } from './auth-card.tsx'
import { typedUsername } from './credentials-text.ts'

/** A new password by the words of a recovery kit. */
export function RecoverPage() {
  const [availableAt, setAvailableAt] = useState<string>()
  const [failure, setFailure] = useState('')
  const begin = useAction(api.recovery.begin, { failed: 'The recovery did not start' })

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setFailure('')
    const outcome = await begin.run({
      body: {
        username: typedUsername(String(form.get('username'))),
        words: String(form.get('words')),
        password: String(form.get('password')),
      },
    })
    if (outcome.ok) setAvailableAt(outcome.result.availableAt)
    else if (outcome.error) setFailure(sentenceOf(outcome.error))
  }

  const back = (
    <Link href={loginPath()} className="text-link">
      Back to sign in
    </Link>
  )
  if (availableAt) {
    return (
      <AuthCard title="Your recovery has started" lead="The words were right." footer={back}>
        <p className="text-base">
          Sign in with the new password from{' '}
          <strong className="font-semibold">{new Date(availableAt).toLocaleString()}</strong> on.
          Until then the old password stays in force, and anyone who is signed in can stop this.
        </p>
      </AuthCard>
    )
  }
  return (
    <AuthCard
      title="Use your recovery kit"
      lead="The twelve words set a new password after a delay, so that a thief of the paper can be stopped."
      footer={back}
    >
      <form onSubmit={submit} noValidate className="space-y-5">
        <Field label="Username">
          {(control) => <Input {...control} name="username" autoComplete="username" />}
        </Field>
        <Field label="Twelve words" hint="In their order, with spaces between them.">
          {(control) => (
            <Textarea
              {...control}
              name="words"
              rows={3}
              autoCapitalize="off"
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
        <Field label="New password" hint="At least 8 characters.">
          {(control) => <PasswordInput {...control} name="password" autoComplete="new-password" />}
        </Field>
        <p role="alert" className="text-bad empty:hidden">
          {failure}
        </p>
        <Button type="submit" variant="primary" className="w-full" isPending={begin.isPending}>
          Start recovery
        </Button>
      </form>
    </AuthCard>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { Link, useSearch } from 'wouter'
import { sentenceOf } from '../../api/api-error.ts'
import { enter } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { registerPath } from '../../lib/paths/paths.ts'
import { returnPath } from '../../lib/paths/return-path.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { PasswordInput } from '../../ui/form/password-input.tsx'
import { AuthCard } from './auth-card.tsx'
import { typedUsername } from './credentials-text.ts'
import { keepNewAccount } from './new-account.ts'

const MISSING = 'Please enter both username/email and password.'

export function LoginPage() {
  const search = new URLSearchParams(useSearch())
  const { submit, isPending, password, failure } = useLogin(returnPath(search.get('next')))
  return (
    <AuthCard
      title="Sign in"
      lead={
        search.has('ended')
          ? 'Your session has ended. Please sign in again.'
          : 'With your username or your e-mail address.'
      }
      footer={<LoginFooter />}
    >
      <form onSubmit={submit} noValidate className="space-y-5">
        <Field label="Username or email">
          {(control) => (
            <Input
              {...control}
              name="username"
              autoComplete="username"
              autoCapitalize="off"
              spellCheck={false}
            />
          )}
        </Field>
        <Field label="Password">
          {(control) => (
            <PasswordInput
              {...control}
              ref={password}
              name="password"
              autoComplete="current-password"
            />
          )}
        </Field>
        <p role="alert" className="text-bad empty:hidden">
          {failure}
        </p>
        <Button type="submit" variant="primary" className="w-full" isPending={isPending}>
          Sign In
        </Button>
      </form>
    </AuthCard>
  )
}

function useLogin(next: string) {
  const client = useQueryClient()
  const password = useRef<HTMLInputElement>(null)
  const [failure, setFailure] = useState('')
  const login = useAction(api.auth.login, {
    check: ({ body }) =>
      body.username && body.password
        ? undefined
        : {
            title: 'Missing Credentials',
            description: MISSING,
          },
    failed: (error) => ({ title: 'Login Failed', description: sentenceOf(error) }),
  })

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const body = {
      username: typedUsername(String(form.get('username'))),
      password: String(form.get('password')),
    }
    setFailure('')
    const outcome = await login.run({ body })
    if (outcome.ok) {
      // Signing in with the credentials proves that the visitor has them.
      keepNewAccount(undefined)
      return enter(client, outcome.result, next)
    }
    // The toast disappears after five seconds; the reason stays beside the form.
    setFailure(outcome.error ? sentenceOf(outcome.error) : MISSING)
    if (outcome.error) password.current?.select()
  }

  return { submit, isPending: login.isPending, password, failure }
}

function LoginFooter() {
  return (
    <>
      <p>
        No account yet?{' '}
        <Link href={registerPath()} className="text-link">
          Create one
        </Link>
        . It takes one press.
      </p>
      <p>
        Lost your password? We cannot send it to you: there is nowhere to send it. An administrator
        can set a new one.
      </p>
    </>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, Suspense, useRef, useState } from 'react'
import { Link, useSearch } from 'wouter'
import type { Proof } from '#shared/api/people/second-factor.ts'
import type { Assertion, RequestOptions } from '#shared/api/people/webauthn.ts'
import { ApiError, sentenceOf } from '../../api/api-error.ts'
import { signInChallengeOf } from '../../api/refusal-details.ts'
import { enter } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { paths, registerPath } from '../../lib/paths/paths.ts'
import { returnPath } from '../../lib/paths/return-path.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { PasswordInput } from '../../ui/form/password-input.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { AuthCard } from './auth-card.tsx'
import { typedUsername } from './credentials-text.ts'
import { keepNewAccount } from './new-account.ts'

const PasskeyButton = lazyPage(
  () => import('../../widgets/ways-in/passkey-button.tsx'),
  'PasskeyButton',
)
const RecoverPage = lazyPage(() => import('./recover-page.tsx'), 'RecoverPage')

const MISSING = 'Please enter both username/email and password.'

export function LoginPage() {
  const search = new URLSearchParams(useSearch())
  const { submit, isPending, password, failure, isCodeAsked, startOver, passkey } = useLogin(
    returnPath(search.get('next')),
  )
  if (search.has('recover')) return <RecoverPage />
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
        {isCodeAsked && <CodeField onBack={startOver} />}
        <div hidden={isCodeAsked} className="space-y-5">
          <TextField
            label="Username or email"
            name="username"
            autoComplete="username"
            autoCapitalize="off"
            spellCheck={false}
          />
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
        </div>
        <p role="alert" className="text-bad empty:hidden">
          {failure}
        </p>
        <Button type="submit" variant="primary" className="w-full" isPending={isPending}>
          Sign In
        </Button>
        {isCodeAsked && passkey && (
          <Suspense>
            <PasskeyButton {...passkey} className="w-full" />
          </Suspense>
        )}
      </form>
    </AuthCard>
  )
}

function useLogin(next: string) {
  const client = useQueryClient()
  const password = useRef<HTMLInputElement>(null)
  const [failure, setFailure] = useState('')
  const [isCodeAsked, setCodeAsked] = useState(false)
  const [hasPasskey, setHasPasskey] = useState(false)
  /** What a passkey is to sign: good for one answer. */
  const challenge = useRef<RequestOptions>(undefined)
  const login = useAction(api.auth.login, {
    check: ({ body }) =>
      body.username && body.password
        ? undefined
        : {
            title: 'Missing Credentials',
            description: MISSING,
          },
    // Not a failure: the form goes on to its second step.
    failed: (error) =>
      isCodeMissing(error) ? undefined : { title: 'Login Failed', description: sentenceOf(error) },
  })

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = new FormData(event.currentTarget).get('code')
    void send(isCodeAsked ? { code: String(code) } : {})
  }

  async function send(proof: Proof) {
    const form = new FormData(password.current?.form ?? undefined)
    const body = {
      username: typedUsername(String(form.get('username'))),
      password: String(form.get('password')),
      ...proof,
    }
    setFailure('')
    const outcome = await login.run({ body })
    if (outcome.ok) {
      // Signing in with the credentials proves that the visitor has them.
      keepNewAccount(undefined)
      return enter(client, outcome.result, next)
    }
    if (outcome.error && isCodeMissing(outcome.error)) {
      challenge.current = signInChallengeOf(outcome.error)
      setHasPasskey(challenge.current !== undefined)
      return setCodeAsked(true)
    }
    // The toast disappears after five seconds; the reason stays beside the form.
    setFailure(outcome.error ? sentenceOf(outcome.error) : MISSING)
    if (outcome.error && !isCodeAsked) password.current?.select()
  }

  function startOver() {
    setFailure('')
    setCodeAsked(false)
  }

  /** A challenge that was answered is over, also where the answer was refused. */
  async function askForChallenge() {
    if (!challenge.current) await send({})
    return challenge.current
  }
  function sendPasskey(passkey: Assertion) {
    challenge.current = undefined
    return send({ passkey })
  }

  return {
    ...{ submit, isPending: login.isPending, password, failure, isCodeAsked, startOver },
    passkey: hasPasskey && { ask: askForChallenge, onSigned: sendPasskey, onFailure: setFailure },
  }
}

const isCodeMissing = (error: Error) =>
  error instanceof ApiError && error.body?.code === 'SECOND_FACTOR_REQUIRED'

/** The second step: the password was right. */
function CodeField({ onBack }: { onBack: () => void }) {
  return (
    <div className="space-y-3">
      <TextField
        label="Code of your authenticator app"
        hint="Six digits. Without the app, enter one of your recovery codes."
        name="code"
        autoComplete="one-time-code"
        autoCapitalize="off"
        spellCheck={false}
        autoFocus
      />
      <Button variant="ghost" size="sm" onClick={onBack} className="-ml-3">
        Use another account
      </Button>
    </div>
  )
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
        Lost your password? We cannot send it to you: there is nowhere to send it.{' '}
        <Link href={`${paths.login}?recover=1`} className="text-link">
          Use your recovery kit
        </Link>
        , or ask an administrator to set a new one.
      </p>
    </>
  )
}

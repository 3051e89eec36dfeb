import { type FormEvent, useState } from 'react'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { Input } from '../../../ui/form/input.tsx'
import { PasswordInput } from '../../../ui/form/password-input.tsx'
import { Copy } from '../../../widgets/facts/copy.tsx'
import { QrCode } from '../../../widgets/facts/qr-code.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Step =
  | { at: 'password' }
  | { at: 'code'; secret: string; uri: string }
  | { at: 'codes'; codes: readonly string[] }

/** From the password over the app's first code to the recovery codes. */
export function SetUp({ onDone }: { onDone: () => void }) {
  const [step, setStep] = useState<Step>({ at: 'password' })
  const begin = useAction(api.secondFactor.begin, { failed: 'No secret was made' })
  const confirm = useAction(api.secondFactor.confirm, {
    done: { title: 'Second factor is on', description: 'Your other sessions have ended.' },
    failed: 'The second factor is not on yet',
    refresh: [api.account.sessions, api.account.activity],
  })

  async function sendPassword(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password'))
    const outcome = await begin.run({ body: { password } })
    if (outcome.ok) setStep({ at: 'code', ...outcome.result })
  }
  async function sendCode(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code'))
    const outcome = await confirm.run({ body: { code } })
    if (outcome.ok) setStep({ at: 'codes', codes: outcome.result.recoveryCodes })
  }

  if (step.at === 'codes') return <RecoveryCodes codes={step.codes} onDone={onDone} />
  if (step.at === 'password') {
    return (
      <form onSubmit={sendPassword} noValidate className="max-w-md space-y-5">
        <Field label="Your password">
          {(control) => (
            <PasswordInput {...control} name="password" autoComplete="current-password" />
          )}
        </Field>
        <Button type="submit" variant="primary" isPending={begin.isPending}>
          Set up
        </Button>
      </form>
    )
  }
  return (
    <form onSubmit={sendCode} noValidate className="space-y-5">
      <div className="grid gap-5 sm:grid-cols-[11rem_1fr]">
        <div className="aspect-square w-44 overflow-hidden rounded-sm border">
          <QrCode text={step.uri} label="QR code for your authenticator app" />
        </div>
        <div className="min-w-0 space-y-2">
          <p>Scan this with an authenticator app, or type the secret into it:</p>
          <p className="flex items-start gap-1">
            <span className="break-all font-mono font-semibold">
              {step.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
            </span>
            <Copy value={step.secret} label="Copy secret" className="-my-1" />
          </p>
        </div>
      </div>
      <Field label="Code that the app shows" className="max-w-md">
        {(control) => (
          <Input
            {...control}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            spellCheck={false}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" isPending={confirm.isPending}>
        Turn on
      </Button>
    </form>
  )
}

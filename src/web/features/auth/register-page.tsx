import { type FormEvent, useId, useRef, useState } from 'react'
import { Link, useSearch } from 'wouter'
import { operator } from '../../lib/browser/page-facts.ts'
import { loginPath, paths, pricingPath, settingsPath } from '../../lib/paths/paths.ts'
import { Button } from '../../ui/form/button.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { ContactLink } from '../../widgets/facts/operator-line.tsx'
import { usePlans } from '../../widgets/package/use-plans.ts'
import { AuthCard } from './auth-card.tsx'
import { CredentialsPanel } from './credentials-panel.tsx'
import { useNewAccount } from './new-account.ts'
import { DEVICE_TAKEN, useRegistration } from './use-registration.ts'

const TERMS_MISSING = 'You must agree to the terms of service to continue.'

export function RegisterPage() {
  const plan = new URLSearchParams(useSearch()).get('plan')
  const next = plan ? pricingPath(plan) : paths.home
  const account = useNewAccount()
  const { create, isPending, leaveFor, isLeaving, isDeviceRefused } = useRegistration(next)
  if (account) {
    return (
      <CredentialsPanel
        credentials={account}
        onSaved={() => void leaveFor(account)}
        onKit={() => void leaveFor(account, settingsPath('recovery'))}
        isLeaving={isLeaving}
      />
    )
  }
  return (
    <AuthCard
      title="Create an anonymous account"
      lead="No e-mail and no name. We make a username of 7 digits and a password, and show them once."
      footer={
        <p>
          Already have an account?{' '}
          <Link href={loginPath({ next })} className="text-link">
            Sign In
          </Link>
        </p>
      }
    >
      {plan && <ChosenPlan id={plan} />}
      <RegisterForm onSubmit={() => void create()} isPending={isPending} />
      {isDeviceRefused && <DeviceRefused next={next} />}
    </AuthCard>
  )
}

function RegisterForm({ onSubmit, isPending }: { onSubmit: () => void; isPending: boolean }) {
  const checkbox = useRef<HTMLInputElement>(null)
  const [hasError, setError] = useState(false)
  const checkboxId = useId()
  const errorId = `${checkboxId}-error`

  function submit(event: FormEvent) {
    event.preventDefault()
    const isAgreed = checkbox.current?.checked === true
    setError(!isAgreed)
    if (isAgreed) onSubmit()
    else checkbox.current?.focus()
  }

  return (
    <form onSubmit={submit} noValidate className="space-y-5">
      <div>
        <label htmlFor={checkboxId} className="flex items-start gap-3">
          <Checkbox
            id={checkboxId}
            ref={checkbox}
            aria-invalid={hasError || undefined}
            aria-describedby={hasError ? errorId : undefined}
            onChange={() => setError(false)}
          />
          <span className="pt-0.5">
            I agree to the{' '}
            <Link href={paths.terms} className="text-link">
              Terms of Service
            </Link>
          </span>
        </label>
        <p id={errorId} role="alert" className="mt-2 text-bad empty:hidden">
          {hasError && TERMS_MISSING}
        </p>
      </div>
      <Button type="submit" variant="primary" size="lg" className="w-full" isPending={isPending}>
        Create Account
      </Button>
      <p className="text-ink-soft">
        One account per device. To keep to that we store a keyed hash of a device identifier, never
        the identifier itself.{' '}
        <Link href={paths.privacy} className="text-link">
          What we store
        </Link>
      </p>
    </form>
  )
}

/** A toast disappears after five seconds; the next step has to stay. */
function DeviceRefused({ next }: { next: string }) {
  return (
    <section role="alert" className="mt-6 rounded-md border border-bad px-4 py-3">
      <h2 className="font-semibold text-bad">{DEVICE_TAKEN.title}</h2>
      <p className="mt-1">{DEVICE_TAKEN.description}</p>
      <p className="mt-3">What you can do:</p>
      <ul className="mt-1 list-disc space-y-1 pl-5">
        <li>
          <Link href={loginPath({ next })} className="text-link">
            Sign in
          </Link>{' '}
          with the account you have.
        </li>
        <li>Use another browser or device.</li>
        <li>
          {operator.contact ? (
            <>
              Ask us to release this device: <ContactLink />
            </>
          ) : (
            'Ask the operator to release this device.'
          )}
        </li>
      </ul>
    </section>
  )
}

function ChosenPlan({ id }: { id: string }) {
  const { plans } = usePlans()
  const plan = plans.find((candidate) => candidate.id === id)
  if (!plan) return null
  return (
    <p className="mb-6 rounded-md border bg-card px-4 py-3">
      You chose <strong className="font-semibold">{plan.name}</strong>. It waits for you on the
      pricing page after registration.
    </p>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { Me } from '#shared/api/people/auth.ts'
import { ApiError, sentenceOf } from '../../api/api-error.ts'
import { enter, me } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { deviceId } from '../../lib/device/device-id.ts'
import { loginPath } from '../../lib/paths/paths.ts'
import { keepNewAccount, type NewAccount } from './new-account.ts'

const REDIRECT_AFTER_MS = 1_000

const isDeviceTaken = (error: Error): boolean =>
  error instanceof ApiError &&
  (error.body?.code === 'DEVICE_ALREADY_REGISTERED' || error.status === 409)

export const DEVICE_TAKEN = {
  title: 'Device Already Registered',
  description:
    'This device already has an account. Only one account per device is allowed for security purposes.',
}

const failed = (error: Error) =>
  isDeviceTaken(error)
    ? DEVICE_TAKEN
    : { title: 'Registration Failed', description: sentenceOf(error) }

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Creates the account, signs in at once, and leaves when the visitor has saved the credentials. */
export function useRegistration(next: string) {
  const client = useQueryClient()
  const [isPending, setPending] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const [isDeviceRefused, setDeviceRefused] = useState(false)
  const register = useAction(api.auth.register, {
    check: ({ body }) =>
      body.deviceMacAddress
        ? undefined
        : { title: 'Registration Failed', description: 'Device fingerprint not available' },
    failed,
  })
  const login = useAction(api.auth.login, {
    failed: () => ({
      title: 'Auto-login Failed',
      description: 'Your account exists. Save its credentials, then sign in with them.',
    }),
  })

  async function signIn(username: string, password: string): Promise<Me | null> {
    const outcome = await login.run({ body: { username, password } })
    return outcome.ok ? outcome.result : null
  }

  async function create() {
    setPending(true)
    setDeviceRefused(false)
    const deviceMacAddress = (await deviceId()) ?? ''
    const made = await register.run({ body: { agreedToTerms: true, deviceMacAddress } })
    if (made.ok) {
      const { username, generatedPassword } = made.result
      const entering = signIn(username, generatedPassword)
      keepNewAccount({ username, generatedPassword, entering })
    } else if (made.error) setDeviceRefused(isDeviceTaken(made.error))
    setPending(false)
  }

  async function leaveFor(account: NewAccount, to = next) {
    setLeaving(true)
    const entering =
      account.entering ?? client.fetchQuery({ ...me, staleTime: 0 }).catch(() => null)
    const [known] = await Promise.all([entering, pause(REDIRECT_AFTER_MS)])
    // A reload may have cut the sign-in off; the credentials are still here.
    const isCutOff = known === null && account.entering === undefined
    const user = isCutOff ? await signIn(account.username, account.generatedPassword) : known
    keepNewAccount(undefined)
    if (user) enter(client, user, to)
    else navigate(loginPath({ next: to }))
  }

  return { create, isPending, leaveFor, isLeaving, isDeviceRefused }
}

import { useSyncExternalStore } from 'react'
import type { Me } from '#shared/api/auth.ts'

/**
 * A fresh account whose credentials were not yet saved. It lives outside of the page, so that
 * going back and forth in the browser does not lose the only copy of the password.
 */
export type NewAccount = {
  username: string
  generatedPassword: string
  /** The automatic sign-in: who came in, or null where it failed. */
  entering: Promise<Me | null>
}

let current: NewAccount | undefined
const listeners = new Set<() => void>()

export function keepNewAccount(account: NewAccount | undefined) {
  current = account
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useNewAccount = () => useSyncExternalStore(subscribe, () => current)

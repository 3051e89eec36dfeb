import { useSyncExternalStore } from 'react'
import type { Me } from '#shared/api/people/auth.ts'
import { forgetInTab, rememberedInTab, rememberInTab } from '../../lib/browser/storage.ts'

/**
 * A new account whose credentials were not yet saved. It lives outside of the page, so that going
 * back and forth in the browser does not lose the only copy of the password; and in the tab's own
 * storage, so that a reload does not either. Removed with the tab, or once they are saved.
 */
export type NewAccount = {
  username: string
  generatedPassword: string
  /** The automatic sign-in: the user, or null where it failed; undefined after a reload. */
  entering: Promise<Me | null> | undefined
}

const STORED_AS = 'newAccount'

let current: NewAccount | undefined = restored()
const listeners = new Set<() => void>()

export function keepNewAccount(account: NewAccount | undefined) {
  current = account
  if (account) {
    const { username, generatedPassword } = account
    rememberInTab(STORED_AS, JSON.stringify({ username, generatedPassword }))
  } else forgetInTab(STORED_AS)
  for (const listener of listeners) listener()
}

function restored(): NewAccount | undefined {
  const text = rememberedInTab(STORED_AS)
  if (text === null) return undefined
  try {
    const { username, generatedPassword } = JSON.parse(text) as Record<string, unknown>
    if (typeof username !== 'string' || typeof generatedPassword !== 'string') return undefined
    return { username, generatedPassword, entering: undefined }
  } catch {
    return undefined
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useNewAccount = () => useSyncExternalStore(subscribe, () => current)

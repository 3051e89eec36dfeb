import { useQueryClient } from '@tanstack/react-query'
import { loginPath } from '../lib/paths/paths.ts'
import { serverSentence } from './api-error.ts'
import { leave } from './session.ts'
import { api } from './table.ts'
import { useAction } from './use-action.ts'

/** Signs out. With `isQuiet` the caller reports a failure itself, without a toast. */
export function useLogout({ isQuiet = false } = {}) {
  const client = useQueryClient()
  const logout = useAction(api.auth.logout, {
    done: {
      title: 'Logged out successfully',
      description: 'You have been signed out of your account',
    },
    failed: (error) =>
      isQuiet
        ? undefined
        : { title: 'Logout failed', description: serverSentence(error) ?? 'Please try again' },
  })

  async function run() {
    const { ok } = await logout.run()
    if (ok) leave(client, loginPath())
  }

  return { run, isPending: logout.isPending, error: logout.error }
}

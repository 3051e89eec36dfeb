import { useQueryClient } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { leave } from '../api/session.ts'
import { api } from '../api/table.ts'
import { useAction } from '../api/use-action.ts'
import { loginPath } from '../paths.ts'
import { Spinner } from '../ui/spinner.tsx'
import { navEntryClass } from './nav-entry-class.ts'

/** In the sidebar a failure makes no toast; the button says it, for a person must know. */
export function LogoutButton() {
  const client = useQueryClient()
  const logout = useAction(api.auth.logout, {
    done: {
      title: 'Logged out successfully',
      description: 'You have been signed out of your account',
    },
    failed: () => undefined,
  })

  async function leaveNow() {
    const { ok } = await logout.run()
    if (ok) leave(client, loginPath())
  }

  return (
    <button
      type="button"
      className={navEntryClass(false)}
      disabled={logout.isPending}
      onClick={() => void leaveNow()}
    >
      {logout.isPending ? (
        <Spinner className="size-4 items-center justify-center" />
      ) : (
        <LogOut aria-hidden="true" strokeWidth={1.75} className="size-4 shrink-0" />
      )}
      <span aria-live="polite">{logout.error ? 'Logout failed. Try again' : 'Logout'}</span>
    </button>
  )
}

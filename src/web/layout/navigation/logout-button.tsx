import { LogOut } from 'lucide-react'
import { useLogout } from '../../api/use-logout.ts'
import { Spinner } from '../../ui/indicator/spinner.tsx'
import { navEntryClass } from './nav-entry-class.ts'

/** In the sidebar a failure shows no toast; the button itself shows it. */
export function LogoutButton() {
  const logout = useLogout({ isQuiet: true })
  return (
    <button
      type="button"
      className={navEntryClass(false)}
      disabled={logout.isPending}
      onClick={() => void logout.run()}
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

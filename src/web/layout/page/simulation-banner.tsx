import { Eye } from 'lucide-react'
import type { Me } from '#shared/api/people/auth.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../lib/paths/paths.ts'
import { Button } from '../../ui/form/button.tsx'

/** Shown while an admin sees the product as this client does. */
export function SimulationBanner({ user }: { user: Me }) {
  const end = useAction(api.simulation.end, { failed: 'Failed to end simulation' })
  if (!user.isSimulated) return null

  async function returnToAdmin() {
    const { ok } = await end.run()
    // A full page load: nothing of the client's pages may remain.
    if (ok) location.assign(paths.users)
  }

  return (
    <aside
      aria-label="Simulation"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b bg-warn-soft px-4 py-2 text-warn sm:px-6"
    >
      <p className="flex items-center gap-2">
        <Eye aria-hidden="true" className="size-4 shrink-0" />
        <span>
          Simulating <strong className="font-semibold">{userName(user)}</strong>
          {user.adminUser?.email && <> as {user.adminUser.email}</>}. Buying and secrets are off.
        </span>
      </p>
      <Button size="sm" onClick={() => void returnToAdmin()} isPending={end.isPending}>
        Return to Admin
      </Button>
    </aside>
  )
}

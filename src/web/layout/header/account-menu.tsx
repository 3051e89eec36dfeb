import { CircleUser } from 'lucide-react'
import { Suspense, useState } from 'react'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import type { Area } from '../../lib/paths/page-title.ts'
import { Button } from '../../ui/form/button.tsx'

const loadEntries = () => import('./account-entries.tsx')
const AccountEntries = lazyPage(loadEntries, 'AccountEntries')

const USER_LABELS = { admin: 'Admin User', client: 'Client User' }

/** The user label of the header. Its menu is loaded on hover, focus or press. */
export function AccountMenu({ area }: { area: Area }) {
  const [isWanted, setWanted] = useState(false)
  const button = (
    <Button
      variant="ghost"
      size="sm"
      className="-mr-2 max-sm:ml-auto"
      aria-haspopup="menu"
      onPointerEnter={() => void loadEntries()}
      onFocus={() => void loadEntries()}
      onClick={() => setWanted(true)}
    >
      <CircleUser aria-hidden="true" className="size-4" />
      {USER_LABELS[area]}
    </Button>
  )
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <AccountEntries area={area} trigger={button} />
    </Suspense>
  )
}

import { Lock } from 'lucide-react'
import { Link } from 'wouter'
import { paths } from '../../lib/paths/paths.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Card } from '../../ui/layout/card.tsx'

/** A page that exists, but not for this role. */
export function NotAllowedPage() {
  return (
    <Card>
      <EmptyState
        icon={Lock}
        title="Your role does not include this page"
        action={
          <Link href={paths.home} className={buttonClass()}>
            Go to the dashboard
          </Link>
        }
      >
        Ask an administrator who owns this installation for another role.
      </EmptyState>
    </Card>
  )
}

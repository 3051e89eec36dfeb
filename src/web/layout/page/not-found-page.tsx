import { MapPinOff } from 'lucide-react'
import { Link } from 'wouter'
import { paths } from '../../lib/paths/paths.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Card } from '../../ui/layout/card.tsx'

export function NotFoundPage() {
  return (
    <Card>
      <EmptyState
        icon={MapPinOff}
        title="404: there is no page at this address"
        action={
          <Link href={paths.home} className={buttonClass()}>
            Go to the dashboard
          </Link>
        }
      >
        The address may be mistyped, or the page has moved.
      </EmptyState>
    </Card>
  )
}

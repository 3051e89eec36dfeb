import { MapPinOff } from 'lucide-react'
import { Link } from 'wouter'
import { paths } from '../paths.ts'
import { buttonClass } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

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

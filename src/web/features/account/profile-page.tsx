import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useMe } from '../../api/session.ts'
import { paths, settingsPath } from '../../lib/paths/paths.ts'
import { buttonClass } from '../../ui/form/button.tsx'
import { ProfileCard } from '../../widgets/facts/profile-card.tsx'
import { ActivityCard } from './activity-card.tsx'

/** `children` is shown beside the facts of the account. */
export function ProfilePage({ children }: { children?: ReactNode }) {
  const user = useMe()
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <div className="space-y-6">
        <ProfileCard user={user} />
        <div className="flex flex-wrap gap-2">
          <Link href={settingsPath('security')} className={buttonClass()}>
            Password and sessions
          </Link>
          {user.role === 'client' && (
            <Link href={paths.billing} className={buttonClass()}>
              Billing
            </Link>
          )}
        </div>
        {children}
      </div>
      <ActivityCard />
    </div>
  )
}

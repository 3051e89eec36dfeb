import type { ReactNode } from 'react'
import type { Me } from '#shared/api/people/auth.ts'
import { fullName } from '#shared/rules/people/user-name.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Copy } from './copy.tsx'

const NOT_GIVEN = <span className="text-ink-soft">Not given</span>

export function ProfileCard({ user }: { user: Me }) {
  return (
    <Card>
      <CardHeader title="Profile" description="Your account details." />
      <dl className="divide-y px-5">
        {user.username && (
          <Fact term="Username">
            <span className="font-mono">{user.username}</span>
            <Copy value={user.username} label="Copy username" className="-my-2 -mr-2" />
          </Fact>
        )}
        <Fact term="Full name">{fullName(user) || NOT_GIVEN}</Fact>
        <Fact term="E-mail">{user.email ?? NOT_GIVEN}</Fact>
        <Fact term="Mobile number">{user.mobileNumber ?? NOT_GIVEN}</Fact>
        <Fact term="Access level">{user.role === 'admin' ? 'Full' : 'Limited'}</Fact>
        <Fact term="Account status">
          <Badge tone={user.isActive ? 'good' : 'idle'} hasMark>
            {user.isActive ? 'Active' : 'Inactive'}
          </Badge>
        </Fact>
        <Fact term="Member since">{calendarDay(new Date(user.createdAt))}</Fact>
      </dl>
    </Card>
  )
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="flex min-h-12 items-center justify-between gap-6 py-2">
      <dt className="shrink-0 text-ink-soft">{term}</dt>
      <dd className="flex min-w-0 items-center gap-1 break-all text-right">{children}</dd>
    </div>
  )
}

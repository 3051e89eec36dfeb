import { useState } from 'react'
import type { ManagedUser } from '#shared/api/people/users.ts'
import { ROLE_NAMES } from '#shared/rules/people/role-names.ts'
import { hasDuty, mayManage } from '#shared/rules/people/roles.ts'
import { fullName, userName } from '#shared/rules/people/user-name.ts'
import { useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { Switch } from '../../ui/form/switch.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import type { Column } from '../../ui/layout/table.tsx'
import { Copy } from '../../widgets/facts/copy.tsx'
import { DeactivateDialog } from './deactivate-dialog.tsx'
import { UserActions } from './user-actions.tsx'

export const USER_COLUMNS: readonly Column<ManagedUser>[] = [
  { title: 'User', isBare: true, cell: (user) => <Name user={user} /> },
  { title: 'Contact', cell: (user) => <Contact user={user} /> },
  {
    title: 'Role',
    cell: ({ role }) => <Badge>{ROLE_NAMES[role]}</Badge>,
  },
  { title: 'Status', cell: (user) => <Status user={user} /> },
  {
    title: 'Member Since',
    cell: ({ createdAt, registeredFrom, isLookAlike }) => (
      <>
        <span className="whitespace-nowrap">{calendarDay(new Date(createdAt))}</span>
        {registeredFrom && (
          <span className="block break-all text-ink-soft text-xs">from {registeredFrom}</span>
        )}
        {isLookAlike && (
          <span className="block text-ink-soft text-xs">Known device: no free trial</span>
        )}
      </>
    ),
  },
  { title: 'Actions', isEnd: true, isBare: true, cell: (user) => <UserActions user={user} /> },
]

function Name({ user }: { user: ManagedUser }) {
  const isNamed = fullName(user) !== ''
  return (
    <>
      <span className="break-all font-semibold">{userName(user)}</span>
      {isNamed && user.role === 'client' && user.email && (
        <span className="block break-all text-ink-soft text-xs">{user.email}</span>
      )}
    </>
  )
}

function Contact({ user }: { user: ManagedUser }) {
  if (user.role !== 'client' || !user.username) {
    return (
      <>
        <span className="break-all">{user.email}</span>
        {user.mobileNumber && (
          <span className="tabular block text-ink-soft text-xs">{user.mobileNumber}</span>
        )}
      </>
    )
  }
  return (
    <>
      <span className="flex items-center font-mono max-md:justify-end">
        {user.username}
        <Copy value={user.username} label={`Copy username ${user.username}`} className="-my-2" />
      </span>
      <span className="block text-ink-soft text-xs">Password encrypted</span>
    </>
  )
}

function Status({ user }: { user: ManagedUser }) {
  const [isAsking, setAsking] = useState(false)
  const { role } = useMe()
  const mayToggle = hasDuty(role, 'run') && mayManage(role, user.role)
  const toggle = useAction(api.users.update, {
    done: ({ isActive }) => ({ title: isActive ? 'User activated' : 'User deactivated' }),
    failed: { title: 'Update failed', description: 'Failed to update user.' },
    refresh: [api.users.list, api.users.clients],
  })
  return (
    <span className="flex items-center gap-2">
      <Switch
        checked={user.isActive}
        disabled={toggle.isPending || !mayToggle}
        aria-label={`${userName(user)} is active`}
        onChange={(event) => {
          const isActive = event.target.checked
          if (isActive || user.role !== 'client') {
            void toggle.run({ params: { id: user.id }, body: { isActive } })
          } else setAsking(true)
        }}
      />
      {user.isActive ? 'Active' : 'Inactive'}
      {isAsking && <DeactivateDialog user={user} onClose={() => setAsking(false)} />}
    </span>
  )
}

import { useQuery } from '@tanstack/react-query'
import { UserPlus, Users } from 'lucide-react'
import { Link, useSearchParams } from 'wouter'
import type { ManagedUser } from '#shared/api/people/users.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { count } from '../../lib/format/words.ts'
import { paths } from '../../lib/paths/paths.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { LongTable } from '../../widgets/list/long-table.tsx'
import { SearchField } from '../../widgets/list/search-field.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { findUsers } from './find-users.ts'
import { USER_COLUMNS } from './user-columns.tsx'

export function UsersPage() {
  const users = useQuery(query(api.users.list))
  const [search, setSearch] = useSearchParams()
  const text = search.get('q') ?? ''
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <SearchField
          label="Find an account"
          placeholder="Name, e-mail or username"
          value={text}
          onChange={(q) => setSearch(q ? { q } : {}, { replace: true })}
        />
        <May duty="run">
          <Link href={paths.createUser} className={buttonClass({ variant: 'primary' })}>
            <UserPlus aria-hidden="true" className="size-4" />
            Add New User
          </Link>
        </May>
      </div>
      <Card>
        {users.data && (
          <div className="flex items-center justify-between border-b py-1 pr-2 pl-5">
            <h2 className="text-base">{count(users.data.length, 'account')}</h2>
            <QueryFreshness query={users} />
          </div>
        )}
        <ListState query={users} failure="The accounts could not be loaded">
          {(list) => <UserTable users={findUsers(list, text)} />}
        </ListState>
      </Card>
    </div>
  )
}

function UserTable({ users }: { users: readonly ManagedUser[] }) {
  if (users.length === 0) return <EmptyState icon={Users} title="No users found" />
  return (
    <LongTable
      label="System Users"
      columns={USER_COLUMNS}
      rows={users}
      rowKey={(user) => user.id}
    />
  )
}

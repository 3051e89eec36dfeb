import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { Session } from '#shared/api/people/account.ts'
import { query } from '../../api/query.ts'
import { leave } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { loginPath } from '../../lib/paths/paths.ts'
import { Button } from '../../ui/form/button.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { CardList } from '../../widgets/list/card-list.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { SimulatedNote } from './simulated-note.tsx'

const Confirm = lazyPage(() => import('../../ui/overlay/confirm.tsx'), 'Confirm')

export function SessionsCard({ isSimulated }: { isSimulated: boolean }) {
  return (
    <Card>
      <CardHeader
        title="Sessions"
        description="Where this account is signed in."
        action={!isSimulated && <SignOutEverywhere />}
      />
      {isSimulated ? <SimulatedNote /> : <SessionList />}
    </Card>
  )
}

function SessionList() {
  const sessions = useQuery(query(api.account.sessions))
  return (
    <CardList query={sessions} failure="Your sessions could not be loaded" empty={null}>
      {(session) => <SessionItem key={session.id} session={session} />}
    </CardList>
  )
}

function SessionItem({ session }: { session: Session }) {
  const end = useAction(api.account.endSession, {
    done: 'Session ended',
    failed: 'The session was not ended',
    refresh: [api.account.sessions],
  })
  return (
    <li className="flex min-h-16 items-center justify-between gap-4 py-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-semibold">
          {session.device}
          {session.isCurrent && (
            <Badge tone="good" hasMark>
              This session
            </Badge>
          )}
        </p>
        <p className="mt-0.5 text-ink-soft text-xs">
          Last seen <RelativeTime at={session.lastSeenAt} />, signed in{' '}
          <RelativeTime at={session.createdAt} />
        </p>
      </div>
      {!session.isCurrent && (
        <Button
          size="sm"
          isPending={end.isPending}
          aria-label={`End the session on ${session.device}`}
          onClick={() => void end.run({ params: { id: session.id } })}
        >
          End
        </Button>
      )}
    </li>
  )
}

function SignOutEverywhere() {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const end = useAction(api.account.endSessions, {
    done: {
      title: 'Signed out everywhere',
      description: 'Every session of this account has ended.',
    },
    failed: 'Sign out failed',
  })

  async function signOut() {
    const { ok } = await end.run()
    if (ok) leave(client, loginPath())
  }

  return (
    <>
      <Button size="sm" onClick={() => setAsking(true)}>
        Sign out everywhere
      </Button>
      {isAsking && (
        <Suspense>
          <Confirm
            isOpen
            onClose={() => setAsking(false)}
            title="Sign out everywhere?"
            action="Sign out everywhere"
            onConfirm={() => void signOut()}
            isPending={end.isPending}
          >
            Every session of this account ends, this one too. Have your username and password at
            hand: you need them to come back.
          </Confirm>
        </Suspense>
      )}
    </>
  )
}

import { CirclePlus, Server } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { Link } from 'wouter'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { useMe } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { paths } from '../../lib/paths/paths.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { beginsOpen } from '../../widgets/instance/rest-button.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { useServerNow } from '../../widgets/time/use-server-now.ts'
import { inOrder } from './token-look.ts'
import { UndeliveredOrders } from './undelivered-orders.tsx'
import { useMyTokens } from './use-my-tokens.ts'
import { VpsCard } from './vps-card.tsx'

const RecoveryOffer = lazyPage(
  () => import('../../widgets/ways-in/recovery-offer.tsx'),
  'RecoveryOffer',
)

const SwitchedOffWebhooks = lazyPage(
  () => import('../../widgets/ways-in/switched-off-webhooks.tsx'),
  'SwitchedOffWebhooks',
)

/** My VPS Dashboard: one card per token. `children` is shown below them. */
export function MyVpsPage({ children }: { children?: ReactNode }) {
  const now = useServerNow(1000)
  const tokens = useMyTokens(now)
  const { isSimulated = false } = useMe()
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-lg">My VPS Dashboard</h2>
        <div className="flex flex-wrap gap-2">
          <Link href={paths.billing} className={buttonClass()}>
            Billing
          </Link>
          <CreateLink isPrimary={tokens.data?.length !== 0} />
        </div>
      </div>
      <UndeliveredOrders tokens={tokens.data} />
      {!isSimulated && (
        <Suspense>
          <SwitchedOffWebhooks />
        </Suspense>
      )}
      {tokens.data && tokens.data.length > 0 && !isSimulated && (
        <Suspense>
          <RecoveryOffer />
        </Suspense>
      )}
      <ListState
        query={tokens}
        failure="Your servers could not be loaded"
        skeleton={<CardSkeleton />}
      >
        {(list) => <Cards tokens={list} now={now} isSimulated={isSimulated} />}
      </ListState>
      {tokens.data && tokens.data.length > 0 && (
        <div className="flex justify-end">
          <QueryFreshness query={tokens} />
        </div>
      )}
      {children}
    </div>
  )
}

function CreateLink({ isPrimary }: { isPrimary: boolean }) {
  return (
    <Link
      href={paths.createInstance}
      className={buttonClass({ variant: isPrimary ? 'primary' : 'secondary' })}
    >
      <CirclePlus aria-hidden="true" className="size-4" />
      Create New Instance
    </Link>
  )
}

type CardsProps = { tokens: readonly ClientToken[]; now: number; isSimulated: boolean }

function Cards({ tokens, now, isSimulated }: CardsProps) {
  if (tokens.length === 0) {
    return (
      <Card>
        <EmptyState
          icon={Server}
          title="No VPS Tokens Yet"
          action={
            <Link href={paths.createInstance} className={buttonClass({ variant: 'primary' })}>
              Choose a server
            </Link>
          }
        >
          A token is a server that is yours for a time. Choose one, and a minute later its address
          and password are here.
        </EmptyState>
      </Card>
    )
  }
  return (
    <ul className="space-y-3">
      {inOrder(tokens).map((token) => (
        <li key={token.id}>
          <VpsCard
            token={token}
            now={now}
            isSimulated={isSimulated}
            isOpenAtFirst={beginsOpen(tokens.length)}
          />
        </li>
      ))}
    </ul>
  )
}

function CardSkeleton() {
  return (
    <div className="space-y-5 rounded-md border bg-card p-5">
      <Skeleton className="h-6 w-56" />
      <Skeleton className="h-10" />
      <div className="grid gap-5 lg:grid-cols-2">
        <Skeleton className="h-56" />
        <Skeleton className="h-56" />
      </div>
    </div>
  )
}

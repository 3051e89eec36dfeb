import { useQuery } from '@tanstack/react-query'
import type { ClientToken } from '#shared/api/overview/client.ts'
import type { ClientSubscription } from '#shared/api/shop/billing.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { renewable } from './billing-rules.ts'
import { SubscribeItem, SubscriptionItem } from './subscription-items.tsx'

type AutomaticRenewalsProps = {
  subscriptions: readonly ClientSubscription[]
  takesCards: boolean
  isSimulated: boolean
}

const NONE: readonly ClientToken[] = []

/** Renewal by card, where the provider can charge again. */
export function AutomaticRenewals({
  subscriptions,
  takesCards,
  isSimulated,
}: AutomaticRenewalsProps) {
  const tokens = useQuery(query(api.client.tokens))
  const mine = tokens.data ?? NONE
  const nameOf = (id: number | null) => mine.find((token) => token.id === id)?.name ?? 'A server'
  const offered = takesCards ? renewable(mine, subscriptions) : []
  return (
    <Card>
      <CardHeader
        title="Automatic renewal"
        description="By card, each time a server's time ends. Off unless you turn it on."
      />
      {subscriptions.length + offered.length === 0 ? (
        <p className="px-5 py-4 text-ink-soft">No server can be renewed automatically right now.</p>
      ) : (
        <ul className="divide-y">
          {subscriptions.map((subscription) => (
            <SubscriptionItem
              key={`subscription-${subscription.id}`}
              subscription={subscription}
              name={nameOf(subscription.tokenId)}
              isSimulated={isSimulated}
            />
          ))}
          {offered.map((token) => (
            <SubscribeItem key={`token-${token.id}`} token={token} isSimulated={isSimulated} />
          ))}
        </ul>
      )}
    </Card>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Plus, SquareCode } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { ApiKey } from '#shared/api/people/api-keys.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { priceText } from '../../lib/format/price.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { count } from '../../lib/format/words.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { AskedButton } from '../../widgets/list/asked-button.tsx'
import { CardList } from '../../widgets/list/card-list.tsx'
import { SimulatedNote } from './simulated-note.tsx'

const MakeKeyDialog = lazyPage(() => import('./api-keys/make-key-dialog.tsx'), 'MakeKeyDialog')

/** The keys that programs of this account have. */
export function ApiKeysCard({ isSimulated }: { isSimulated: boolean }) {
  const keys = useQuery(query(api.apiKeys.list))
  const [isMaking, setMaking] = useState(false)
  return (
    <Card>
      <CardHeader
        title="API keys"
        description="For scripts and programs that act for you, as far as you let them."
        action={
          <Button size="sm" disabled={isSimulated} onClick={() => setMaking(true)}>
            <Plus aria-hidden="true" className="size-4" />
            Make key
          </Button>
        }
      />
      <CardList
        query={keys}
        failure="Your API keys could not be loaded"
        empty={
          <EmptyState icon={SquareCode} title="No API keys yet">
            A program with a key can do what you allow it, and never change your password.
          </EmptyState>
        }
      >
        {(key) => <KeyItem key={key.id} apiKey={key} isSimulated={isSimulated} />}
      </CardList>
      {isSimulated && (
        <div className="border-t">
          <SimulatedNote />
        </div>
      )}
      {isMaking && (
        <Suspense>
          <MakeKeyDialog onClose={() => setMaking(false)} />
        </Suspense>
      )}
    </Card>
  )
}

function KeyItem({ apiKey, isSimulated }: { apiKey: ApiKey; isSimulated: boolean }) {
  const { name, hint, scopes, isExpired } = apiKey
  return (
    <li className="flex items-start justify-between gap-4 py-3">
      <div className="min-w-0 space-y-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="break-words font-semibold">{name}</span>
          <span className="font-mono text-ink-soft text-xs">{hint}…</span>
          {isExpired && (
            <Badge tone="bad" hasMark>
              Expired
            </Badge>
          )}
        </p>
        <p className="flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </p>
        <p className="break-words text-ink-soft text-xs">{limitsOf(apiKey).join(', ')}</p>
      </div>
      <RevokeButton apiKey={apiKey} isSimulated={isSimulated} />
    </li>
  )
}

function limitsOf({ lastUsedOn, expiresAt, isExpired, cidrs, instanceIds, ...key }: ApiKey) {
  const day = (at: string) => calendarDay(new Date(at))
  return [
    lastUsedOn === null ? 'Never used' : `Last used ${day(lastUsedOn)}`,
    ...(expiresAt ? [`${isExpired ? 'ended' : 'ends'} ${day(expiresAt)}`] : []),
    ...(cidrs.length > 0 ? [`from ${cidrs.join(', ')}`] : []),
    ...(instanceIds ? [`for ${count(instanceIds.length, 'server')}`] : []),
    ...(key.dailyLimit
      ? [`${priceText(key.spentToday)} of ${priceText(key.dailyLimit)} spent today`]
      : []),
  ]
}

function RevokeButton({ apiKey, isSimulated }: { apiKey: ApiKey; isSimulated: boolean }) {
  const { id, name } = apiKey
  const revoke = useAction(api.apiKeys.revoke, {
    done: { title: 'API key revoked', description: name },
    failed: 'The key was not revoked',
    refresh: [api.apiKeys.list, api.account.activity],
  })
  return (
    <AskedButton
      verb="Revoke"
      name={name}
      isDisabled={isSimulated}
      isPending={revoke.isPending}
      act={() => revoke.run({ params: { id } })}
    >
      What uses it is refused from now on. This cannot be undone.
    </AskedButton>
  )
}

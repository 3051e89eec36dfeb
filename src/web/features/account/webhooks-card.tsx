import { useQuery } from '@tanstack/react-query'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Webhook } from '#shared/api/people/own-webhooks.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { count } from '../../lib/format/words.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { AskedButton } from '../../widgets/list/asked-button.tsx'
import { CardList } from '../../widgets/list/card-list.tsx'
import { SimulatedNote } from './simulated-note.tsx'

const WebhookDialog = lazyPage(() => import('./webhooks/webhook-dialog.tsx'), 'WebhookDialog')
const DeliveriesDialog = lazyPage(
  () => import('./webhooks/deliveries-dialog.tsx'),
  'DeliveriesDialog',
)

type Open = { what: 'make' } | { what: 'change' | 'log'; webhook: Webhook }

/** Where this account is told what happens. */
export function WebhooksCard({ isSimulated }: { isSimulated: boolean }) {
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  return (
    <Card>
      <CardHeader
        title="Webhooks"
        description="Calls to an address of yours when something happens, signed with a secret."
        action={
          <Button size="sm" disabled={isSimulated} onClick={() => setOpen({ what: 'make' })}>
            <Plus aria-hidden="true" className="size-4" />
            Make webhook
          </Button>
        }
      />
      {isSimulated ? <SimulatedNote /> : <WebhookList onOpen={setOpen} />}
      <Suspense>
        {open?.what === 'make' && <WebhookDialog webhook={undefined} onClose={close} />}
        {open?.what === 'change' && <WebhookDialog webhook={open.webhook} onClose={close} />}
        {open?.what === 'log' && <DeliveriesDialog webhook={open.webhook} onClose={close} />}
      </Suspense>
    </Card>
  )
}

function WebhookList({ onOpen }: { onOpen: (open: Open) => void }) {
  const webhooks = useQuery(query(api.ownWebhooks.list))
  return (
    <CardList
      query={webhooks}
      failure="Your webhooks could not be loaded"
      empty={
        <EmptyState icon={WebhookIcon} title="No webhooks yet">
          A program of yours can learn at once that a server is ready, or that a backup failed.
        </EmptyState>
      }
    >
      {(webhook) => <WebhookItem key={webhook.id} webhook={webhook} onOpen={onOpen} />}
    </CardList>
  )
}

type ItemProps = { webhook: Webhook; onOpen: (open: Open) => void }

function WebhookItem({ webhook, onOpen }: ItemProps) {
  const { url, events } = webhook
  const host = new URL(url).host
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3 py-3">
      <div className="min-w-0 flex-1 basis-60 space-y-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 break-all font-mono">{url}</span>
          <StateBadge webhook={webhook} />
        </p>
        <p className="break-words text-ink-soft text-xs">
          {events.length > 6 ? count(events.length, 'event') : events.join(', ')}
        </p>
        <OffNote webhook={webhook} />
      </div>
      <div className="flex gap-2">
        <Button
          size="sm"
          aria-label={`Log of ${host}`}
          onClick={() => onOpen({ what: 'log', webhook })}
        >
          Log
        </Button>
        <Button
          size="sm"
          aria-label={`Change ${host}`}
          onClick={() => onOpen({ what: 'change', webhook })}
        >
          Change
        </Button>
        <RemoveButton id={webhook.id} host={host} />
      </div>
    </li>
  )
}

function StateBadge({ webhook: { isOn, offReason, failingSince } }: { webhook: Webhook }) {
  if (offReason) {
    return (
      <Badge tone="bad" hasMark>
        Switched off
      </Badge>
    )
  }
  if (!isOn) return <Badge hasMark>Off</Badge>
  return failingSince === null ? (
    <Badge tone="good" hasMark>
      On
    </Badge>
  ) : (
    <Badge tone="bad" hasMark>
      Failing
    </Badge>
  )
}

const OFF = {
  gone: 'We switched it off: its address answered 410 Gone. Change it to switch it on again.',
  failing: 'We switched it off: nothing arrived for five days. Change it to switch it on again.',
}

function OffNote({ webhook: { offReason } }: { webhook: Webhook }) {
  return offReason && <p className="text-bad text-xs">{OFF[offReason]}</p>
}

function RemoveButton({ id, host }: { id: number; host: string }) {
  const remove = useAction(api.ownWebhooks.remove, {
    done: { title: 'Webhook removed', description: host },
    failed: 'The webhook was not removed',
    refresh: [api.ownWebhooks.list, api.account.activity],
  })
  return (
    <AskedButton
      verb="Remove"
      name={host}
      isDisabled={false}
      isPending={remove.isPending}
      act={() => remove.run({ params: { id } })}
    >
      Nothing is sent there any more, and its log is deleted. This cannot be undone.
    </AskedButton>
  )
}

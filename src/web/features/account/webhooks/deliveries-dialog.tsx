import { useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import type { Delivery, Webhook } from '#shared/api/people/own-webhooks.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Badge, type Tone } from '../../../ui/indicator/badge.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { FirstFew } from '../../../widgets/list/first-few.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { RelativeTime } from '../../../widgets/time/relative-time.tsx'

const POLL_MS = 2000

type DeliveriesDialogProps = { webhook: Webhook; onClose: () => void }

/** What was sent to a webhook, and what came of it. */
export function DeliveriesDialog({ webhook, onClose }: DeliveriesDialogProps) {
  const params = { id: webhook.id }
  const log = useQuery({
    ...query(api.ownWebhooks.deliveries, { params }),
    refetchInterval: POLL_MS,
  })
  const test = useAction(api.ownWebhooks.test, {
    failed: 'Nothing was sent',
    refresh: [api.ownWebhooks.deliveries],
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Log of the webhook"
      description="The last 30 days, newest first. A delivery that fails is tried eight times within three days."
      footer={
        <>
          <Button
            disabled={!webhook.isOn}
            isPending={test.isPending}
            onClick={() => void test.run({ params })}
          >
            Send test
          </Button>
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <ListState query={log} failure="The log could not be loaded">
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={Send} title="Nothing was sent yet" />
          ) : (
            <FirstFew items={list}>
              {(shown) => (
                <ul className="divide-y">
                  {shown.map((delivery) => (
                    <DeliveryItem key={delivery.id} webhook={webhook} delivery={delivery} />
                  ))}
                </ul>
              )}
            </FirstFew>
          )
        }
      </ListState>
    </Dialog>
  )
}

const STATES: Record<Delivery['state'], { tone: Tone; words: string }> = {
  waiting: { tone: 'warn', words: 'Waiting' },
  delivered: { tone: 'good', words: 'Delivered' },
  failed: { tone: 'bad', words: 'Failed' },
}

type DeliveryItemProps = { webhook: Webhook; delivery: Delivery }

function DeliveryItem({ webhook, delivery }: DeliveryItemProps) {
  const { type, state, createdAt, payload } = delivery
  const again = useAction(api.ownWebhooks.redeliver, {
    failed: 'It was not sent again',
    refresh: [api.ownWebhooks.deliveries],
  })
  const body = { deliveryId: delivery.id }
  return (
    <li className="space-y-1 py-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-mono">{type}</span>
          <Badge tone={STATES[state].tone} hasMark>
            {STATES[state].words}
          </Badge>
        </p>
        <Button
          size="sm"
          disabled={!webhook.isOn}
          isPending={again.isPending}
          aria-label={`Send again: ${type}`}
          onClick={() => void again.run({ params: { id: webhook.id }, body })}
        >
          Send again
        </Button>
      </div>
      <p className="break-words text-ink-soft text-xs">
        <RelativeTime at={createdAt} />
        {outcomeOf(delivery)}
        {delivery.nextAt !== null && delivery.tries > 0 && (
          <>
            , next try <RelativeTime at={delivery.nextAt} />
          </>
        )}
      </p>
      <details className="text-xs">
        <summary className="cursor-pointer text-ink-soft">What was sent and answered</summary>
        <pre className="mt-1 whitespace-pre-wrap break-all rounded-md bg-sunken p-3">{payload}</pre>
        {delivery.lastAnswer && (
          <pre className="mt-1 whitespace-pre-wrap break-all rounded-md bg-sunken p-3">
            {delivery.lastAnswer}
          </pre>
        )}
      </details>
    </li>
  )
}

function outcomeOf({ tries, lastStatus }: Delivery): string {
  if (tries === 0) return ''
  const answered = lastStatus === null ? 'no answer' : `answered ${lastStatus}`
  return `, ${answered}, ${tries === 1 ? 'first try' : `${tries} tries`}`
}

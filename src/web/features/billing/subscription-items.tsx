import { type ReactNode, useState } from 'react'
import type { ClientToken } from '#shared/api/overview/client.ts'
import type { ClientSubscription } from '#shared/api/shop/billing.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { followCheckout } from '../../lib/billing/checkout.ts'
import { priceText } from '../../lib/format/price.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { subscriptionWords } from './billing-rules.ts'

function Item({ name, text, children }: { name: string; text: string; children?: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-5 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="break-words font-semibold">{name}</p>
        <p className="text-ink-soft">{text}</p>
      </div>
      {children}
    </li>
  )
}

type SubscriptionItemProps = {
  subscription: ClientSubscription
  name: string
  isSimulated: boolean
}

export function SubscriptionItem({ subscription, name, isSimulated }: SubscriptionItemProps) {
  const [isAsking, setAsking] = useState(false)
  const stop = useAction(api.billing.unsubscribe, {
    done: { title: 'Automatic renewal is off', description: name },
    failed: 'Automatic renewal could not be turned off',
    refresh: [api.billing.overview],
  })
  const confirm = async () => {
    const { ok } = await stop.run({ params: { id: subscription.id } })
    if (ok) setAsking(false)
  }
  const isOn = subscription.status !== 'canceled' && !subscription.cancelAtPeriodEnd
  return (
    <Item name={name} text={subscriptionWords(subscription)}>
      {isOn && (
        <Button
          aria-label={`Turn off automatic renewal of ${name}`}
          disabled={isSimulated}
          onClick={() => setAsking(true)}
        >
          Turn off
        </Button>
      )}
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Turn automatic renewal off?"
        action="Turn off"
        onConfirm={() => void confirm()}
        isPending={stop.isPending}
      >
        {name} runs to the end of the time that is paid and is stopped then, unless you renew it
        yourself.
      </Confirm>
    </Item>
  )
}

type SubscribeItemProps = { token: ClientToken; isSimulated: boolean }

export function SubscribeItem({ token, isSimulated }: SubscribeItemProps) {
  const start = useAction(api.billing.subscribe, {
    failed: 'Automatic renewal could not be turned on',
  })
  const turnOn = async () => {
    const outcome = await start.run({ params: { id: token.id } })
    if (outcome.ok) followCheckout(outcome.result.checkoutUrl)
  }
  return (
    <Item name={token.name} text={`Off. ${priceText(token.monthlyPrice)} each time.`}>
      <Button
        aria-label={`Turn on automatic renewal of ${token.name}`}
        disabled={isSimulated}
        isPending={start.isPending}
        onClick={() => void turnOn()}
      >
        Turn on
      </Button>
    </Item>
  )
}

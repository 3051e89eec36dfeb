import type { ClientToken } from '#shared/api/overview/client.ts'
import { renewedUntil } from '#shared/rules/token/token-expiry.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { followCheckout } from '../../lib/billing/checkout.ts'
import { exactTime } from '../../lib/format/time.ts'
import { daysText } from '../../lib/format/time-words.ts'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { Fact, Facts } from '../facts/facts.tsx'
import { PaymentNote, PriceFacts, usePayLabel } from './price-facts.tsx'

type Renewed = Pick<ClientToken, 'id' | 'name' | 'monthlyPrice' | 'durationDays' | 'expiresAt'>
type RenewDialogProps = { token: Renewed; now: number; onClose: () => void }

export function RenewDialog({ token, now, onClose }: RenewDialogProps) {
  const label = usePayLabel('Renew', token.monthlyPrice)
  const until = renewedUntil(token, new Date(now))
  const renew = useAction(api.client.renew, {
    done: ({ order, checkoutUrl }) => {
      if (checkoutUrl) return undefined
      return order.status === 'pending'
        ? { title: 'Renewal ordered', description: 'It counts once the payment has arrived.' }
        : { title: 'Server renewed', description: token.name }
    },
    failed: 'Renewal Failed',
    refresh: [api.servers.get, api.client.tokens, api.client.instances, api.billing.overview],
  })
  const confirm = async () => {
    const outcome = await renew.run({ params: { id: token.id } })
    if (!outcome.ok) return
    onClose()
    if (outcome.result.checkoutUrl) followCheckout(outcome.result.checkoutUrl)
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Renew ${token.name}?`}
      action={label}
      onConfirm={() => void confirm()}
      isPending={renew.isPending}
    >
      <Facts className="mb-3 border-y text-ink">
        <Fact term="Adds">{daysText(token.durationDays)}</Fact>
        <PriceFacts price={token.monthlyPrice} />
        {until && <Fact term="Then ends">{exactTime(until)}</Fact>}
      </Facts>
      <PaymentNote price={token.monthlyPrice} />
    </Confirm>
  )
}

import type { ClientToken } from '#shared/api/client.ts'
import { renewedUntil } from '#shared/rules/token-expiry.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { priceText } from '../../lib/price.ts'
import { exactTime } from '../../lib/time.ts'
import { daysText } from '../../lib/time-words.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Fact, Facts } from '../../widgets/facts.tsx'
import { usePaymentNote } from '../../widgets/use-payment.ts'

type RenewDialogProps = { token: ClientToken; now: number; onClose: () => void }

export function RenewDialog({ token, now, onClose }: RenewDialogProps) {
  const note = usePaymentNote()
  const until = renewedUntil(token, new Date(now))
  const renew = useAction(api.client.renew, {
    done: ({ order, checkoutUrl }) => {
      if (checkoutUrl) return undefined
      return order.status === 'pending'
        ? { title: 'Renewal ordered', description: 'It counts once the payment has arrived.' }
        : { title: 'Server renewed', description: token.name }
    },
    failed: 'Renewal Failed',
    refresh: [api.client.tokens, api.client.instances],
  })
  const confirm = async () => {
    const outcome = await renew.run({ params: { id: token.id } })
    if (!outcome.ok) return
    onClose()
    if (outcome.result.checkoutUrl) location.assign(outcome.result.checkoutUrl)
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Renew ${token.name}?`}
      action={`Renew for ${priceText(token.monthlyPrice)}`}
      onConfirm={() => void confirm()}
      isPending={renew.isPending}
    >
      <Facts className="border-y text-ink">
        <Fact term="Adds">{daysText(token.durationDays)}</Fact>
        <Fact term="Price">
          <span className="tabular">{priceText(token.monthlyPrice)}</span>
        </Fact>
        {until && <Fact term="Then ends">{exactTime(until)}</Fact>}
      </Facts>
      <p className="mt-3">{note}</p>
    </Confirm>
  )
}

import { useId } from 'react'
import { isNothing } from '../../lib/billing/credit.ts'
import { priceText } from '../../lib/format/price.ts'

export type Refund = 'credit' | 'provider' | 'none'

type RefundOption = { value: Refund; label: string; text: string; refusal?: string }

const KEPT: RefundOption = {
  value: 'none',
  label: 'No refund',
  text: 'You keep the money.',
}

const AS_CREDIT: RefundOption = {
  value: 'credit',
  label: 'As credit',
  text: 'It pays the client’s next order or renewal automatically.',
}

type Refundable = { byProvider: boolean; isDelivered: boolean; isCredit?: boolean }

/** The ways to refund. Keeping the money is offered only for a server that was delivered. */
export const refundChoices = ({
  byProvider,
  isDelivered,
  isCredit = false,
}: Refundable): readonly RefundOption[] => [
  ...(isCredit ? [] : [AS_CREDIT]),
  {
    value: 'provider',
    label: 'To the original payment method',
    text: 'The payment provider sends it back.',
    ...(!byProvider && { refusal: 'The payment provider cannot send this payment back.' }),
  },
  ...(isDelivered && !isCredit ? [KEPT] : []),
]

type RefundFieldsProps = {
  refundable: { amount: string; byProvider: boolean }
  isDelivered: boolean
  /** The money is the client's credit already. */
  isCredit?: boolean
  refund: Refund
  onChange: (refund: Refund) => void
}

export function RefundFields(props: RefundFieldsProps) {
  const { refundable, isDelivered, isCredit = false, refund, onChange } = props
  const group = useId()
  if (isNothing(refundable.amount)) return <p>There is nothing to refund.</p>
  const choices = refundChoices({ byProvider: refundable.byProvider, isDelivered, isCredit })
  return (
    <fieldset>
      <legend className="font-semibold">Refund {priceText(refundable.amount)}</legend>
      <div className="mt-3 space-y-3">
        {choices.map(({ value, label, text, refusal }) => (
          <label key={value} className="flex items-start gap-3">
            <input
              type="radio"
              name={group}
              className="mt-0.5 size-5 shrink-0 accent-accent"
              checked={refund === value}
              disabled={refusal !== undefined}
              onChange={() => onChange(value)}
            />
            <span className={refusal === undefined ? undefined : 'text-ink-soft'}>
              <span className="block font-semibold">{label}</span>
              <span className="text-ink-soft">{refusal ?? text}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

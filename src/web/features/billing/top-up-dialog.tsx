import { useState } from 'react'
import { decimal, parseAmount } from '#shared/rules/money/money.ts'
import { isTopUp, topUpBounds } from '#shared/rules/money/top-up.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { followCheckout, payingBy } from '../../lib/billing/checkout.ts'
import { isNothing } from '../../lib/billing/credit.ts'
import { priceText } from '../../lib/format/price.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { PaymentChoice } from '../../widgets/billing/payment-choice.tsx'

const USUAL = ['10', '25', '50', '100']

type TopUpDialogProps = {
  /** What is filled first: credit that was spent, and then taken back. */
  owed: string
  onClose: () => void
}

/** Buys credit in the way the client chooses. */
export function TopUpDialog({ owed, onClose }: TopUpDialogProps) {
  const [amount, setAmount] = useState('25')
  const [way, setWay] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const topUp = useAction(api.credit.topUp, {
    done: ({ order, checkoutUrl }) =>
      checkoutUrl ? undefined : { title: `${priceText(order.amount)} added to your credit` },
    failed: 'The top-up was not ordered',
    refresh: [api.billing.overview],
  })
  const cents = parseAmount(amount)
  const choose = (value: string) => {
    setAmount(value)
    setProblem(undefined)
  }

  async function submit() {
    if (!isTopUp(amount)) return setProblem(topUpBounds())
    const outcome = await topUp.run({ body: { amount, ...payingBy(way) } })
    if (!outcome.ok) return
    onClose()
    if (outcome.result.checkoutUrl) followCheckout(outcome.result.checkoutUrl)
  }

  return (
    <FormDialog
      onClose={onClose}
      title="Top up credit"
      description="Credit pays your orders and renewals. It does not expire."
      verb={isTopUp(amount) && cents ? `Pay ${priceText(decimal(cents))}` : 'Pay'}
      isPending={topUp.isPending}
      onSubmit={submit}
      className="space-y-4"
    >
      <TextField
        label="Amount (USD)"
        error={problem}
        value={amount}
        onChange={(event) => choose(event.target.value)}
        inputMode="decimal"
        autoComplete="off"
        maxLength={10}
      />
      <div className="flex flex-wrap gap-2">
        {USUAL.map((usual) => (
          <Button key={usual} size="sm" onClick={() => choose(usual)}>
            {priceText(`${usual}.00`)}
          </Button>
        ))}
      </div>
      {!isNothing(owed) && (
        <Note tone="warn">
          {priceText(owed)} of it fills what is missing: a payment of yours was taken back after its
          credit was spent.
        </Note>
      )}
      <PaymentChoice value={way} onChange={setWay} />
    </FormDialog>
  )
}

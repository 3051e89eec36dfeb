import { useState } from 'react'
import { voucherProblem } from '#shared/rules/money/voucher-code.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { priceText } from '../../lib/format/price.ts'
import { TextField } from '../../ui/form/text-field.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'

/** Turns the code of a voucher into credit. A mistyped code is caught here, before it is sent. */
export function RedeemDialog({ onClose }: { onClose: () => void }) {
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const redeem = useAction(api.vouchers.redeem, {
    done: ({ amount, credit }) => ({
      title: `${priceText(amount)} added`,
      description: `Your credit is ${priceText(credit)}.`,
    }),
    failed: () => undefined,
    refresh: [api.billing.overview],
  })

  async function submit() {
    const mistake = voucherProblem(code)
    setProblem(mistake)
    if (mistake !== undefined) return
    const outcome = await redeem.run({ body: { code } })
    if (outcome.ok) onClose()
    else setProblem(sentenceOf(outcome.error))
  }

  return (
    <FormDialog
      onClose={onClose}
      title="Redeem a voucher"
      verb="Redeem"
      isPending={redeem.isPending}
      onSubmit={submit}
    >
      <TextField
        label="Code"
        hint="16 letters and digits. Dashes, spaces and small letters do not matter."
        error={problem}
        value={code}
        onChange={(event) => {
          setCode(event.target.value)
          setProblem(undefined)
        }}
        className="font-mono uppercase"
        placeholder="XXXX-XXXX-XXXX-XXXX"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={60}
      />
    </FormDialog>
  )
}

import { useState } from 'react'
import { type NewVouchers, VoucherCreate } from '#shared/api/money/vouchers.ts'
import { sentenceOf } from '../../../api/api-error.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { useProblems } from '../../../lib/forms/use-problems.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { TextField } from '../../../ui/form/text-field.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { NewCodes } from './new-codes.tsx'

const EMPTY = { count: '10', amount: '', lastDay: '', note: '' }
type Fields = typeof EMPTY

/** A voucher is valid to the end of its last day, in the operator's own time. */
const endOf = (day: string): string | null =>
  day === '' ? null : new Date(`${day}T23:59:59.999`).toISOString()

/** Makes vouchers, then shows their codes once. */
export function MakeDialog({ onClose }: { onClose: () => void }) {
  const [fields, setFields] = useState(EMPTY)
  const { problems, check } = useProblems(VoucherCreate)
  const [made, setMade] = useState<NewVouchers>()
  const make = useAction(api.vouchers.create, {
    failed: () => undefined,
    refresh: [api.vouchers.list],
  })
  const set = (part: Partial<Fields>) => setFields({ ...fields, ...part })

  async function submit() {
    const body = check({
      count: Number(fields.count),
      amount: fields.amount,
      expiresAt: endOf(fields.lastDay),
      note: fields.note,
    })
    if (!body) return
    const outcome = await make.run({ body })
    if (outcome.ok) setMade(outcome.result)
  }

  if (made) return <NewCodes made={made} onClose={onClose} />
  return (
    <FormDialog
      onClose={onClose}
      title="Make vouchers"
      verb="Make vouchers"
      isPending={make.isPending}
      onSubmit={submit}
      className="space-y-5"
    >
      <TextField
        label="How many"
        error={problems.count}
        inputMode="numeric"
        value={fields.count}
        onChange={(event) => set({ count: event.target.value })}
      />
      <TextField
        label="Amount of each (USD)"
        error={problems.amount}
        inputMode="decimal"
        value={fields.amount}
        onChange={(event) => set({ amount: event.target.value })}
      />
      <TextField
        label="Last day (optional)"
        error={problems.expiresAt}
        type="date"
        value={fields.lastDay}
        onChange={(event) => set({ lastDay: event.target.value })}
      />
      <TextField
        label="Note (optional)"
        hint="Only operators read it."
        error={problems.note}
        value={fields.note}
        onChange={(event) => set({ note: event.target.value })}
      />
      {make.error ? <Note tone="bad">{sentenceOf(make.error)}</Note> : null}
    </FormDialog>
  )
}

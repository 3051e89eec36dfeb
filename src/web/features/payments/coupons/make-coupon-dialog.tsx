import { useState } from 'react'
import { CouponCreate } from '#shared/api/money/coupons.ts'
import { sentenceOf } from '../../../api/api-error.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { useProblems } from '../../../lib/forms/use-problems.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { Input } from '../../../ui/form/input.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { TextField } from '../../../ui/form/text-field.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { type CouponFields, couponBody, EMPTY_COUPON } from './coupon-form.ts'
import { offWords } from './coupon-words.ts'
import { PackagesChoice } from './packages-choice.tsx'

const KINDS = [
  { value: 'percent', label: 'Percent' },
  { value: 'amount', label: 'US dollars' },
]
const ORDERS = [
  { value: 'purchases', label: 'Purchases' },
  { value: 'first', label: 'The first purchase of an account' },
  { value: 'renewals', label: 'Purchases and renewals' },
]

type TypedField = Exclude<keyof CouponFields, 'kind' | 'orders' | 'packageIds'>

export function MakeCouponDialog({ onClose }: { onClose: () => void }) {
  const [fields, setFields] = useState(EMPTY_COUPON)
  const { problems, check } = useProblems(CouponCreate)
  const make = useAction(api.coupons.create, {
    done: (coupon) => ({ title: `Coupon ${coupon.code} made`, description: offWords(coupon) }),
    failed: () => undefined,
    refresh: [api.coupons.list],
  })
  const set = (part: Partial<CouponFields>) => setFields({ ...fields, ...part })

  async function submit() {
    const body = check(couponBody(fields))
    if (!body) return
    const outcome = await make.run({ body })
    if (outcome.ok) onClose()
  }

  const text = (name: TypedField, more: Partial<React.ComponentProps<'input'>> = {}) => ({
    ...more,
    value: fields[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => set({ [name]: event.target.value }),
  })

  return (
    <FormDialog
      onClose={onClose}
      title="Make a coupon"
      verb="Make coupon"
      isPending={make.isPending}
      onSubmit={submit}
      className="space-y-5"
    >
      <TextField
        label="Code (optional)"
        hint="Your own code can be guessed. Without one, a code that cannot be guessed is made."
        error={problems.code}
        {...text('code', { className: 'font-mono uppercase', maxLength: 30 })}
        autoComplete="off"
        spellCheck={false}
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Takes off" error={problems.percent ?? problems.amountOff}>
          {(control) => <Input {...control} {...text('off', { inputMode: 'decimal' })} />}
        </Field>
        <Field label="In">
          {(control) => (
            <Select
              {...control}
              value={fields.kind}
              options={KINDS}
              onChange={(event) =>
                set({ kind: event.target.value === 'amount' ? 'amount' : 'percent' })
              }
            />
          )}
        </Field>
      </div>
      <Field
        label="For"
        hint={
          fields.orders === 'renewals'
            ? 'A percentage counts for the whole renewal, also for 12 months.'
            : undefined
        }
        error={problems.renewals}
      >
        {(control) => (
          <Select
            {...control}
            value={fields.orders}
            options={ORDERS}
            onChange={(event) => set({ orders: event.target.value as CouponFields['orders'] })}
          />
        )}
      </Field>
      <PackagesChoice
        value={fields.packageIds}
        onChange={(packageIds) => set({ packageIds })}
        error={problems.packageIds}
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Uses in all (optional)" error={problems.maxUses}>
          {(control) => <Input {...control} {...text('maxUses', { inputMode: 'numeric' })} />}
        </Field>
        <Field label="Uses for each account (optional)" error={problems.maxPerAccount}>
          {(control) => <Input {...control} {...text('maxPerAccount', { inputMode: 'numeric' })} />}
        </Field>
        <Field label="First day (optional)" error={problems.validFrom}>
          {(control) => <Input {...control} {...text('firstDay', { type: 'date' })} />}
        </Field>
        <Field label="Last day (optional)" error={problems.validUntil}>
          {(control) => <Input {...control} {...text('lastDay', { type: 'date' })} />}
        </Field>
      </div>
      <Field label="Note (optional)" hint="Only operators read it." error={problems.note}>
        {(control) => <Input {...control} {...text('note')} />}
      </Field>
      {make.error ? <Note tone="bad">{sentenceOf(make.error)}</Note> : null}
    </FormDialog>
  )
}

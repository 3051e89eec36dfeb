import { type FormEvent, useState } from 'react'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import type { AppliedCoupon } from '../../lib/billing/coupon.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'

type CouponFieldProps = {
  /** What is being ordered. */
  of: { packageId: string } | { tokenId: number }
  applied: AppliedCoupon | undefined
  onChange: (coupon: AppliedCoupon | undefined) => void
}

/** Asks for a coupon where the client has one; the price follows before anything is ordered. */
export function CouponField({ of, applied, onChange }: CouponFieldProps) {
  const [isOpen, setOpen] = useState(false)
  if (applied) {
    return (
      <p className="mb-3 flex flex-wrap items-center justify-between gap-2 text-ink">
        <span>
          Coupon <span className="break-all font-mono font-semibold">{applied.code}</span>
        </span>
        {/* The field that had the focus is gone. */}
        <Button
          autoFocus
          size="sm"
          aria-label="Remove the coupon"
          onClick={() => onChange(undefined)}
        >
          Remove
        </Button>
      </p>
    )
  }
  if (isOpen) return <CouponForm of={of} onApply={onChange} />
  return (
    <Button variant="ghost" size="sm" className="mb-3 -ml-3" onClick={() => setOpen(true)}>
      Use a coupon
    </Button>
  )
}

type CouponFormProps = Pick<CouponFieldProps, 'of'> & { onApply: (coupon: AppliedCoupon) => void }

function CouponForm({ of, onApply }: CouponFormProps) {
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const preview = useAction(api.coupons.preview, { failed: () => undefined })

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (code.trim() === '') return setProblem('Please enter the code of the coupon.')
    const outcome = await preview.run({ body: { code, ...of } })
    if (outcome.ok) onApply(outcome.result)
    else if (outcome.error) setProblem(sentenceOf(outcome.error))
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="mb-3 text-ink">
      <Field label="Coupon" error={problem}>
        {(control) => (
          <span className="flex gap-2">
            <Input
              {...control}
              // The button that opened it is gone.
              autoFocus
              value={code}
              onChange={(event) => {
                setCode(event.target.value)
                setProblem(undefined)
              }}
              className="min-w-0 font-mono uppercase"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={60}
            />
            <Button type="submit" isPending={preview.isPending}>
              Apply
            </Button>
          </span>
        )}
      </Field>
    </form>
  )
}

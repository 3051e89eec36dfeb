import { useForm } from 'react-hook-form'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Textarea } from '../../ui/form/textarea.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { bodyOf, checkPlan, EMPTY_PLAN, type PlanFields } from './plan-form.ts'

export function AddPlanDialog({ onClose }: { onClose: () => void }) {
  const form = useForm<PlanFields>({
    defaultValues: EMPTY_PLAN,
    resolver: zodResolver(checkPlan),
  })
  const { errors } = form.formState
  const add = useAction(api.payments.addPlan, {
    done: ({ name }) => ({ title: 'Billing plan added', description: name }),
    failed: 'The billing plan was not added',
    refresh: [api.payments.plans],
  })
  async function save(fields: PlanFields) {
    const { ok } = await add.run({ body: bodyOf(fields) })
    if (ok) onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Add Billing Plan"
      verb="Add Billing Plan"
      isPending={add.isPending}
      className="space-y-5"
      onSubmit={form.handleSubmit(save)}
    >
      <Field label="Name" error={errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} autoComplete="off" />}
      </Field>
      <Field label="Monthly price (USD)" error={errors.monthlyPrice?.message}>
        {(control) => <Input {...control} {...form.register('monthlyPrice')} inputMode="decimal" />}
      </Field>
      <TextField
        label="Stripe price (optional)"
        hint="Its id at Stripe, such as price_1Nx… Without one, Stripe charges the price above."
        error={errors.stripePriceId?.message}
        {...form.register('stripePriceId')}
        className="font-mono"
      />
      <Field label="Description (optional)" error={errors.description?.message}>
        {(control) => <Input {...control} {...form.register('description')} />}
      </Field>
      <Field label="Features (optional)" hint="One in each line." error={errors.features?.message}>
        {(control) => <Textarea {...control} {...form.register('features')} rows={3} />}
      </Field>
    </FormDialog>
  )
}

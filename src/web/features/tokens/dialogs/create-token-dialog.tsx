import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { zodResolver } from '../../../lib/forms/zod-resolver.ts'
import { Field } from '../../../ui/form/field.tsx'
import { Input } from '../../../ui/form/input.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { AllFields } from '../form/all-fields.tsx'
import { checkCreate, EMPTY_TOKEN, type TokenFields } from '../form/token-form.ts'
import { countOf, MOST_AT_ONCE, severalProblems } from './several-tokens.ts'
import { useCreateTokens } from './use-create-tokens.ts'

export function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const [quantity, setQuantity] = useState('1')
  const [quantityError, setQuantityError] = useState<string>()
  const form = useForm<TokenFields>({
    defaultValues: EMPTY_TOKEN,
    resolver: zodResolver((fields) => {
      const check = checkCreate(fields)
      const { quantity: _, ...shared } = severalProblems(fields, quantity)
      const issues = [
        ...(check.success ? [] : check.error.issues),
        ...Object.entries(shared).map(([name, message]) => ({ path: [name], message })),
      ]
      return issues.length === 0 ? { success: true } : { success: false, error: { issues } }
    }),
  })
  const tokenType = useWatch({ control: form.control, name: 'tokenType' })
  const create = useCreateTokens()
  const isSeveral = tokenType === 'ip_mac'
  const count = isSeveral ? countOf(quantity) : 1

  async function submit() {
    setQuantityError(severalProblems(form.getValues(), quantity).quantity)
    // Checks both, so that every error is shown at once.
    await form.handleSubmit(async (fields) => {
      if (count === undefined) return
      const made = await create.run(fields, count)
      if (made === count) return onClose()
      // The rest can be submitted again unchanged.
      setQuantity(String(count - made))
      if (made > 0) form.setValue('ipAddress', '')
    })()
  }

  return (
    <FormDialog
      className="grid gap-5 sm:grid-cols-2"
      title="Create Token"
      description="One server for sale: its source, login and price."
      verb={
        create.making ? `Creating ${create.making.made + 1} of ${create.making.of}` : 'Create Token'
      }
      isPending={create.isPending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <AllFields form={form} />
      {isSeveral && (
        <Field
          label="Quantity"
          hint={`Up to ${MOST_AT_ONCE}. The others get the next free addresses and passwords of their own.`}
          error={quantityError}
          className="sm:col-span-2"
        >
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              value={quantity}
              onChange={(event) => setQuantity(event.target.value)}
            />
          )}
        </Field>
      )}
    </FormDialog>
  )
}

import { type FormEvent, useState } from 'react'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Field } from '../../ui/form/field.tsx'
import { Input } from '../../ui/form/input.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'

/** Answers true once the server accepted a code. */
export function ProofDialog({ onClose }: { onClose: (isProven: boolean) => void }) {
  const [failure, setFailure] = useState<string>()
  const prove = useAction(api.secondFactor.prove, { failed: () => undefined })

  async function submit({ currentTarget }: FormEvent<HTMLFormElement>) {
    const code = String(new FormData(currentTarget).get('code'))
    const outcome = await prove.run({ body: { code } })
    if (outcome.ok) onClose(true)
    else if (outcome.error) setFailure(sentenceOf(outcome.error))
  }

  return (
    <FormDialog
      onClose={() => onClose(false)}
      title="Confirm that it is you"
      description="This action needs a code of your second factor."
      verb="Confirm"
      isPending={prove.isPending}
      onSubmit={submit}
    >
      <Field
        label="Code"
        error={failure}
        hint="Six digits of your authenticator app, or a recovery code."
      >
        {(control) => (
          <Input {...control} name="code" autoComplete="one-time-code" spellCheck={false} />
        )}
      </Field>
    </FormDialog>
  )
}

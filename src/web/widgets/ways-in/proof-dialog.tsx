import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Proof } from '#shared/api/people/second-factor.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { TextField } from '../../ui/form/text-field.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { PasskeyButton } from './passkey-button.tsx'

/** Answers true once the server accepted a code or a passkey. */
export function ProofDialog({ onClose }: { onClose: (isProven: boolean) => void }) {
  const [failure, setFailure] = useState<string>()
  const prove = useAction(api.secondFactor.prove, { failed: () => undefined })

  const passkeys = useQuery(query(api.passkeys.list))
  const challenge = useAction(api.passkeys.challenge, { failed: () => undefined })
  const fail = (error: Error | undefined) => error && setFailure(sentenceOf(error))

  async function send(body: Proof) {
    const outcome = await prove.run({ body })
    if (outcome.ok) onClose(true)
    else fail(outcome.error)
  }
  async function ask() {
    const outcome = await challenge.run()
    if (outcome.ok) return outcome.result
    fail(outcome.error)
    return undefined
  }
  const submit = ({ currentTarget }: FormEvent<HTMLFormElement>) =>
    send({ code: String(new FormData(currentTarget).get('code')) })

  return (
    <FormDialog
      onClose={() => onClose(false)}
      title="Confirm that it is you"
      description="This action needs a code of your second factor."
      verb="Confirm"
      isPending={prove.isPending}
      onSubmit={submit}
      aside={
        passkeys.data?.length ? (
          <PasskeyButton
            ask={ask}
            onSigned={(passkey) => send({ passkey })}
            onFailure={setFailure}
            className="sm:mr-auto"
          />
        ) : undefined
      }
    >
      <TextField
        label="Code"
        error={failure}
        hint="Six digits of your authenticator app, or a recovery code."
        name="code"
        autoComplete="one-time-code"
        spellCheck={false}
      />
    </FormDialog>
  )
}

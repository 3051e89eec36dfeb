import { type FormEvent, useState } from 'react'
import { sentenceOf } from '../../../api/api-error.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { makePasskey } from '../../../lib/browser/passkeys.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { Input } from '../../../ui/form/input.tsx'
import { PasswordInput } from '../../../ui/form/password-input.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'

/** Asks the server what to make, the device to make it, and the server to keep it. */
export function AddPasskeyDialog({ onClose }: { onClose: () => void }) {
  const [failure, setFailure] = useState<string>()
  const [isPending, setPending] = useState(false)
  const begin = useAction(api.passkeys.begin, { failed: () => undefined })
  const add = useAction(api.passkeys.add, {
    done: ({ name }) => ({ title: 'Passkey added', description: name }),
    failed: () => undefined,
    refresh: [api.passkeys.list, api.account.activity],
  })

  async function addOne(name: string, password: string) {
    const begun = await begin.run({ body: { name, ...(password && { password }) } })
    if (!begun.ok) return begun.error
    const credential = await makePasskey(begun.result)
    const added = await add.run({ body: { name, credential } })
    if (!added.ok) return added.error
    onClose()
    return undefined
  }

  async function submit({ currentTarget }: FormEvent<HTMLFormElement>) {
    const form = new FormData(currentTarget)
    setPending(true)
    setFailure(undefined)
    try {
      const error = await addOne(String(form.get('name')).trim(), String(form.get('password')))
      if (error) setFailure(sentenceOf(error))
    } catch (error) {
      setFailure(sentenceOf(error))
    } finally {
      setPending(false)
    }
  }

  return (
    <FormDialog
      onClose={onClose}
      title="Add passkey"
      verb="Add passkey"
      isPending={isPending}
      onSubmit={submit}
      className="space-y-5"
    >
      <Field label="Name" hint="Such as Laptop. Your device shows it; your username stays here.">
        {(control) => <Input {...control} name="name" maxLength={60} autoComplete="off" />}
      </Field>
      <Field label="Your password" hint="Not needed if you have just signed in.">
        {(control) => (
          <PasswordInput {...control} name="password" autoComplete="current-password" />
        )}
      </Field>
      {failure ? <Note tone="bad">{failure}</Note> : null}
    </FormDialog>
  )
}

import { useForm } from 'react-hook-form'
import { zodResolver } from '../../../lib/forms/zod-resolver.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { TextField } from '../../../ui/form/text-field.tsx'
import { Textarea } from '../../../ui/form/textarea.tsx'
import { DialogFooter } from '../../../ui/overlay/dialog.tsx'
import { checkKey, type KeyFields, NAME_MAX, suggestedName } from './key-form.ts'

/** Where a key is added: the account's ring. */
export type Ring = { add: (body: KeyFields) => Promise<boolean>; isAdding: boolean }

export function PasteKey({ ring, onClose }: { ring: Ring; onClose: () => void }) {
  const form = useForm<KeyFields>({
    defaultValues: { name: '', publicKey: '' },
    mode: 'onChange',
    resolver: zodResolver(checkKey),
  })
  const { errors, dirtyFields } = form.formState
  function suggestName(publicKey: string) {
    const name = suggestedName(publicKey)
    if (name !== '' && !dirtyFields.name) form.setValue('name', name, { shouldValidate: true })
  }
  async function save(fields: KeyFields) {
    if (await ring.add(fields)) onClose()
  }
  return (
    <form
      noValidate
      className="space-y-5"
      onSubmit={(event) => void form.handleSubmit(save)(event)}
    >
      <Field
        label="Public key"
        hint="The one line of a .pub file, such as ~/.ssh/id_ed25519.pub."
        error={errors.publicKey?.message}
      >
        {(control) => (
          <Textarea
            {...control}
            {...form.register('publicKey', { onChange: ({ target }) => suggestName(target.value) })}
            placeholder="ssh-ed25519 AAAA…"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            rows={5}
            className="break-all font-mono sm:text-xs"
          />
        )}
      </Field>
      <TextField
        label="Name"
        hint="Such as the device it is on."
        error={errors.name?.message}
        {...form.register('name')}
        maxLength={NAME_MAX}
        autoComplete="off"
        spellCheck={false}
      />
      <DialogFooter className="-mx-5 -mb-5">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={ring.isAdding}>
          Add key
        </Button>
      </DialogFooter>
    </form>
  )
}

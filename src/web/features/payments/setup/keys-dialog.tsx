import { useState } from 'react'
import type { ProviderSetup } from '#shared/api/money/provider-keys.ts'
import { PROVIDER_FIELDS, type ProviderField } from '#shared/rules/money/provider-fields.ts'
import { sentenceOf } from '../../../api/api-error.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { Input } from '../../../ui/form/input.tsx'
import { PasswordInput } from '../../../ui/form/password-input.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { Facts, MachineFact } from '../../../widgets/facts/facts.tsx'
import { nameOf } from './provider-words.ts'
import { REFRESHED } from './turn-off.tsx'

/** Takes the keys of a provider. Secrets that are stored are kept where a field stays empty. */
export function KeysDialog({ setup, onClose }: { setup: ProviderSetup; onClose: () => void }) {
  const { name: provider, webhookUrl } = setup
  const name = nameOf(provider)
  const stored = setup.fields.map((field) => [field.name, field.value ?? ''])
  const [fields, setFields] = useState<Record<string, string>>(Object.fromEntries(stored))
  const save = useAction(api.providerKeys.save, {
    done: ({ message }) => ({ title: `Keys of ${name} saved`, description: message }),
    failed: () => undefined,
    refresh: REFRESHED,
  })

  async function submit() {
    const outcome = await save.run({ params: { provider }, body: { fields } })
    if (outcome.ok) onClose()
  }

  return (
    <FormDialog
      onClose={onClose}
      title={`Keys of ${name}`}
      description={`${name} is asked first. Keys that it does not accept are not saved.`}
      verb="Test and save"
      isPending={save.isPending}
      onSubmit={submit}
      className="space-y-4"
    >
      {webhookUrl && (
        <Facts className="border-y">
          <MachineFact term="Webhook address" value={webhookUrl} otherwise="" of={name} />
        </Facts>
      )}
      {PROVIDER_FIELDS[provider].map((field) => (
        <KeyField
          key={field.name}
          field={field}
          isStored={setup.fields.some((one) => one.name === field.name && one.isSet)}
          value={fields[field.name] ?? ''}
          onChange={(value) => setFields({ ...fields, [field.name]: value })}
        />
      ))}
      {save.error ? <Note tone="bad">{sentenceOf(save.error)}</Note> : null}
    </FormDialog>
  )
}

type KeyFieldProps = {
  field: ProviderField
  isStored: boolean
  value: string
  onChange: (value: string) => void
}

function KeyField({ field, isStored, value, onChange }: KeyFieldProps) {
  const { label, isSecret } = field
  const hint = isSecret && isStored ? 'Leave it empty to keep the stored one.' : field.hint
  const Control = isSecret ? PasswordInput : Input
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Control
          {...control}
          value={value}
          autoComplete={isSecret ? 'new-password' : 'off'}
          autoCapitalize="none"
          spellCheck={false}
          className={isSecret ? '' : 'font-mono'}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

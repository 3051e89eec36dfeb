import { useState } from 'react'
import { type ApiKey, ApiKeyCreate } from '#shared/api/people/api-keys.ts'
import { sentenceOf } from '../../../api/api-error.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { useProblems } from '../../../lib/forms/use-problems.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { PasswordInput } from '../../../ui/form/password-input.tsx'
import { TextField } from '../../../ui/form/text-field.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { EMPTY_KEY, type KeyFields, wishOf } from './key-form.ts'
import { NewKey } from './new-key.tsx'
import { ScopeFields } from './scope-fields.tsx'
import { ServerFields } from './server-fields.tsx'

/** Makes a key, then shows it once. */
export function MakeKeyDialog({ onClose }: { onClose: () => void }) {
  const [fields, setFields] = useState<KeyFields>(EMPTY_KEY)
  const { problems, check } = useProblems(ApiKeyCreate)
  const [made, setMade] = useState<ApiKey & { key: string }>()
  const make = useAction(api.apiKeys.create, {
    failed: () => undefined,
    refresh: [api.apiKeys.list, api.account.activity],
  })
  const set = (part: Partial<KeyFields>) => setFields({ ...fields, ...part })
  const isSpending = fields.scopes.includes('billing:spend')
  const hasMoney = fields.scopes.some((scope) => scope.startsWith('billing:'))

  async function submit() {
    const body = check(wishOf(fields))
    if (!body) return
    const outcome = await make.run({ body })
    if (outcome.ok) setMade(outcome.result)
  }

  if (made) return <NewKey made={made} onClose={onClose} />
  return (
    <FormDialog
      onClose={onClose}
      title="Make API key"
      verb="Make key"
      isPending={make.isPending}
      onSubmit={submit}
      className="space-y-5"
    >
      <TextField
        label="Name"
        error={problems.name}
        value={fields.name}
        maxLength={60}
        autoComplete="off"
        onChange={(event) => set({ name: event.target.value })}
      />
      <ScopeFields
        chosen={fields.scopes}
        error={problems.scopes}
        onChange={(scopes) => set({ scopes })}
      />
      {isSpending && (
        <TextField
          label="At most a day (USD, optional)"
          hint="Without a limit it can spend all your credit."
          error={problems.dailyLimit}
          inputMode="decimal"
          value={fields.dailyLimit}
          onChange={(event) => set({ dailyLimit: event.target.value })}
        />
      )}
      {!hasMoney && (
        <ServerFields
          chosen={fields.instanceIds}
          onChange={(instanceIds) => set({ instanceIds })}
        />
      )}
      <TextField
        label="Last day (optional)"
        error={problems.expiresAt}
        type="date"
        value={fields.lastDay}
        onChange={(event) => set({ lastDay: event.target.value })}
      />
      <TextField
        label="Networks (optional)"
        hint="Where it can be used from, such as 203.0.113.0/24, separated by commas."
        error={problems.cidrs}
        value={fields.networks}
        autoComplete="off"
        onChange={(event) => set({ networks: event.target.value })}
      />
      <Field label="Your password" hint="Not needed if you have just signed in.">
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="current-password"
            value={fields.password}
            onChange={(event) => set({ password: event.target.value })}
          />
        )}
      </Field>
      {make.error ? <Note tone="bad">{sentenceOf(make.error)}</Note> : null}
    </FormDialog>
  )
}

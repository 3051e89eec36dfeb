import { useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { daysText } from '../../../lib/format/time-words.ts'
import { Field } from '../../../ui/form/field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { TextField } from '../../../ui/form/text-field.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { SNAPSHOTS_CHANGED } from './snapshots-changed.ts'

type TakeDialogProps = {
  server: Pick<Server, 'id' | 'label'>
  longestDays: number
  onClose: () => void
}

/** A name for it, and for how long. */
export function TakeDialog({ server, longestDays, onClose }: TakeDialogProps) {
  const [name, setName] = useState('')
  const [days, setDays] = useState(longestDays)
  const take = useAction(api.snapshots.take, {
    done: { title: 'A snapshot is being taken', description: server.label },
    failed: 'No snapshot was taken',
    refresh: SNAPSHOTS_CHANGED,
  })
  const submit = async () => {
    const body = { days, ...(name.trim() !== '' && { name: name.trim() }) }
    const { ok } = await take.run({ params: { id: server.id }, body })
    if (ok) onClose()
  }
  const choices = Array.from({ length: longestDays }, (_, index) => index + 1)
  return (
    <FormDialog
      onClose={onClose}
      title="Take a snapshot"
      description={server.label}
      verb="Take it"
      isPending={take.isPending}
      className="space-y-5"
      onSubmit={submit}
    >
      <TextField
        label="Name (optional)"
        maxLength={60}
        autoComplete="off"
        placeholder="Before the update"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Field label="Keep it for">
        {(control) => (
          <Select
            {...control}
            value={String(days)}
            onChange={(event) => setDays(Number(event.target.value))}
            options={choices.map((one) => ({ value: String(one), label: daysText(one) }))}
          />
        )}
      </Field>
      <p className="text-ink-soft">
        The server keeps running. Its memory is not saved: after a rollback it starts anew, as after
        a power cut.
      </p>
    </FormDialog>
  )
}

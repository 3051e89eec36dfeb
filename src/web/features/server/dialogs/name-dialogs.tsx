import { useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { HOSTNAME, isHostname } from '#shared/rules/network/hostname.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { Field } from '../../../ui/form/field.tsx'
import { TextField } from '../../../ui/form/text-field.tsx'
import { Textarea } from '../../../ui/form/textarea.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { SERVER_CHANGED } from '../../../widgets/instance/server-changed.ts'

type NamedServer = Pick<Server, 'id' | 'label' | 'hostname' | 'operator'>
type NameDialogProps = { server: NamedServer; onClose: () => void }

const LABEL_MAX = 60

export function LabelDialog({ server, onClose }: NameDialogProps) {
  const [label, setLabel] = useState(server.label)
  const change = useChange(server, onClose, 'The label was not changed')
  return (
    <FormDialog
      title="Label"
      description={server.label}
      verb="Save"
      className="space-y-5"
      onClose={onClose}
      isReady={label.trim() !== ''}
      isPending={change.isPending}
      onSubmit={() => change.save({ label })}
    >
      <TextField
        label="Label"
        hint="Only a name for you: nothing on the server changes."
        value={label}
        maxLength={LABEL_MAX}
        autoComplete="off"
        onChange={(event) => setLabel(event.target.value)}
      />
    </FormDialog>
  )
}

export function HostnameDialog({ server, onClose }: NameDialogProps) {
  const [hostname, setHostname] = useState(server.hostname ?? '')
  const change = useChange(server, onClose, 'The hostname was not changed')
  const wanted = hostname.trim().toLowerCase()
  const isValid = wanted === '' || isHostname(wanted)
  return (
    <FormDialog
      title="Hostname"
      description={server.label}
      verb="Save"
      className="space-y-5"
      onClose={onClose}
      isReady={isValid}
      isPending={change.isPending}
      onSubmit={() => change.save({ hostname: wanted })}
    >
      <p>
        The server takes the new name when it starts next. Cloud-init then sets it up again and
        makes new SSH host keys: your SSH client will warn you once.
      </p>
      <TextField
        label="Hostname"
        hint="Unique among your servers. Leave it empty to have none of your own."
        error={isValid ? undefined : HOSTNAME}
        value={hostname}
        maxLength={63}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => setHostname(event.target.value)}
      />
    </FormDialog>
  )
}

/** For operators only. */
export function NotesDialog({ server, onClose }: NameDialogProps) {
  const [notes, setNotes] = useState(server.operator?.notes ?? '')
  const change = useChange(server, onClose, 'The notes were not changed')
  return (
    <FormDialog
      title="Notes"
      description={server.label}
      verb="Save"
      className="space-y-5"
      onClose={onClose}
      isPending={change.isPending}
      onSubmit={() => change.save({ notes })}
    >
      <Field label="Notes" hint="Only operators see them.">
        {(control) => (
          <Textarea
            {...control}
            rows={6}
            maxLength={5000}
            value={notes}
            onChange={(event) => setNotes(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}

type Change = { label: string } | { hostname: string } | { notes: string }

function useChange({ id }: NamedServer, onClose: () => void, failed: string) {
  const change = useAction(api.servers.change, {
    done: 'Saved',
    failed,
    refresh: SERVER_CHANGED,
  })
  const save = async (body: Change) => {
    const { ok } = await change.run({ params: { id }, body })
    if (ok) onClose()
  }
  return { save, isPending: change.isPending }
}

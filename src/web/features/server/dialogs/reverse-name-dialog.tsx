import { useState } from 'react'
import type { ReverseName } from '#shared/api/servers/reverse-dns.ts'
import { DOMAIN_NAME, domainName } from '#shared/rules/reverse-dns/domain-name.ts'
import { sentenceOf } from '../../../api/api-error.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { TextField } from '../../../ui/form/text-field.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'

type ReverseNameDialogProps = {
  instanceId: number
  address: string
  rdns: ReverseName
  onClose: () => void
}

/** The name that an address is answered with, as its owner wants it. */
export function ReverseNameDialog({ instanceId, address, rdns, onClose }: ReverseNameDialogProps) {
  const [typed, setTyped] = useState(rdns.isDefault ? '' : (rdns.hostname ?? ''))
  const [isChecked, setChecked] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const change = useAction(api.reverseDns.set, {
    done: { title: 'Reverse name saved', description: 'The DNS server is being told.' },
    // Said in the dialog, beside the name.
    failed: () => undefined,
    refresh: [api.network.get, api.servers.activity],
  })
  const hostname = domainName(typed)

  const save = async (wanted: string | null) => {
    setRefusal(undefined)
    const body = { address, hostname: wanted }
    const outcome = await change.run({ params: { id: instanceId }, body })
    if (outcome.ok) onClose()
    else if (outcome.error) setRefusal(sentenceOf(outcome.error))
  }
  const submit = () => {
    setChecked(true)
    if (hostname !== undefined) void save(hostname)
  }

  const kind = address.includes(':') ? 'AAAA' : 'A'
  return (
    <FormDialog
      onClose={onClose}
      title="Reverse name"
      description={<span className="font-mono wrap-anywhere">{address}</span>}
      verb="Save"
      isPending={change.isPending}
      className="space-y-4"
      onSubmit={submit}
      aside={
        !rdns.isDefault && (
          <Button
            className="sm:mr-auto"
            disabled={change.isPending}
            onClick={() => void save(null)}
          >
            Reset to default
          </Button>
        )
      }
    >
      <p>
        Others see this name when they look the address up; mail servers insist on it. First let the
        name lead to the address: where your domain is managed, add an {kind} record.
      </p>
      <TextField
        label="Name"
        hint="Such as mail.example.org"
        error={isChecked && hostname === undefined ? DOMAIN_NAME : undefined}
        value={typed}
        maxLength={254}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="font-mono"
        onChange={(event) => setTyped(event.target.value)}
      />
      {refusal && <Note tone="bad">{refusal}</Note>}
    </FormDialog>
  )
}

import { useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import type { Cds } from '#shared/api/servers/isos.ts'
import { MOST_ISO_GIB, OWN_ISO_DAYS } from '#shared/rules/instance/cds.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { TextField } from '../../../ui/form/text-field.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { CDS_CHANGED } from './cds-changed.ts'

type OwnIsoDialogProps = {
  server: Pick<Server, 'id' | 'label'>
  /** The last one, as long as its file is kept. */
  own: Cds['own']
  onClose: () => void
}

const SHA256 = /^[0-9a-f]{64}$/i

/** An image that is not on the list: where it is, and what proves that it is the right one. */
export function OwnIsoDialog({ server, own, onClose }: OwnIsoDialogProps) {
  const [url, setUrl] = useState(own?.url ?? '')
  const [sha256, setSha256] = useState(own?.sha256 ?? '')
  const insert = useAction(api.cds.insert, {
    done: { title: 'The image is being fetched', description: server.label },
    failed: 'The server was not started from the image',
    refresh: CDS_CHANGED,
  })
  const hash = sha256.trim()
  const isHash = SHA256.test(hash)
  const isReady = url.trim() !== '' && isHash
  const submit = async () => {
    if (!isReady) return
    const body = { url: url.trim(), sha256: hash }
    const { ok } = await insert.run({ params: { id: server.id }, body })
    if (ok) onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Start from an image of your own"
      description={server.label}
      verb="Start from it"
      isPending={insert.isPending}
      isReady={isReady}
      isSticky
      className="space-y-5"
      onSubmit={submit}
    >
      <p>
        The image is fetched and compared with its SHA-256. Then the server stops and starts once
        from it; at its next start it boots from its disk again.
      </p>
      <TextField
        label="Address"
        hint={`https://… of an ISO image of at most ${MOST_ISO_GIB} GiB, without a redirect. It is kept for ${OWN_ISO_DAYS} days.`}
        type="url"
        required
        maxLength={2000}
        value={url}
        onChange={({ target }) => setUrl(target.value)}
      />
      <TextField
        label="SHA-256"
        hint="As the makers of the image publish it."
        error={hash === '' || isHash ? undefined : 'A SHA-256 has 64 characters, 0 to 9 and a to f'}
        className="font-mono"
        required
        spellCheck={false}
        autoComplete="off"
        value={sha256}
        onChange={({ target }) => setSha256(target.value)}
      />
    </FormDialog>
  )
}

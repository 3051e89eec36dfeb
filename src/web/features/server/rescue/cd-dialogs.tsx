import type { Server } from '#shared/api/overview/servers.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { Confirm } from '../../../ui/overlay/confirm.tsx'
import { CDS_CHANGED } from './cds-changed.ts'

type DialogProps = { server: Pick<Server, 'id' | 'label'>; onClose: () => void }

export function RescueDialog({ server, onClose }: DialogProps) {
  const rescue = useAction(api.cds.rescue, {
    done: { title: 'The server is being started in rescue', description: server.label },
    failed: 'The server was not started in rescue',
    refresh: CDS_CHANGED,
  })
  const run = async () => {
    const { ok } = await rescue.run({ params: { id: server.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      title={`Start ${server.label} in rescue?`}
      action="Start in rescue"
      isPending={rescue.isPending}
      onClose={onClose}
      onConfirm={() => void run()}
    >
      The server stops and starts from the rescue system. Its disk stays as it is; mount it there to
      repair it. Your SSH keys are on the server’s cloud-init drive, where the rescue system finds
      them. It stays in rescue until you end it.
    </Confirm>
  )
}

export function BootDialog({
  server,
  iso,
  onClose,
}: DialogProps & { iso: { id: number; name: string } }) {
  const insert = useAction(api.cds.insert, {
    done: { title: 'The server is being started from the CD', description: iso.name },
    failed: 'The server was not started from the CD',
    refresh: CDS_CHANGED,
  })
  const run = async () => {
    const { ok } = await insert.run({ params: { id: server.id }, body: { isoId: iso.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      title={`Start ${server.label} from ${iso.name}?`}
      action="Start from the CD"
      isPending={insert.isPending}
      onClose={onClose}
      onConfirm={() => void run()}
    >
      The server stops and starts once from this CD; at its next start it boots from its disk again.
      Open the console to see it. A server with UEFI may need the boot menu: press Esc there.
    </Confirm>
  )
}

/** It asks first: what the rescue system is doing to the disk would break off. */
export function EndRescueDialog({ server, onClose }: DialogProps) {
  const end = useAction(api.cds.endRescue, {
    done: { title: 'The rescue is being ended', description: server.label },
    failed: 'The rescue was not ended',
    refresh: CDS_CHANGED,
  })
  const run = async () => {
    const { ok } = await end.run({ params: { id: server.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      title={`End the rescue of ${server.label}?`}
      action="End the rescue"
      isPending={end.isPending}
      onClose={onClose}
      onConfirm={() => void run()}
    >
      The server shuts down and starts from its own disk. Unmount it first.
    </Confirm>
  )
}

/** The way back from any other CD: the server goes on running. */
export function useTakeOut({ id, label }: Pick<Server, 'id' | 'label'>) {
  const { run, isPending } = useAction(api.cds.takeOut, {
    done: { title: 'The CD is being taken out', description: label },
    failed: 'The CD was not taken out',
    refresh: CDS_CHANGED,
  })
  return { isPending, run: () => void run({ params: { id } }) }
}

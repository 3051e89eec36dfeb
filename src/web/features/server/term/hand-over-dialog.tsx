import { useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { exactTime } from '../../../lib/format/time.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { Copy } from '../../../widgets/facts/copy.tsx'

type HandOverDialogProps = {
  server: Pick<Server, 'id' | 'label' | 'transfer'>
  onClose: () => void
}

/** Makes the code with which another account takes the server over, and shows it once. */
export function HandOverDialog({ server, onClose }: HandOverDialogProps) {
  const [made, setMade] = useState<{ code: string; expiresAt: string }>()
  const offer = useAction(api.servers.offer, {
    failed: 'No code was made',
    refresh: [api.servers.get, api.servers.activity],
  })
  const make = async () => {
    const outcome = await offer.run({ params: { id: server.id } })
    if (outcome.ok) setMade(outcome.result)
  }
  return (
    <Dialog
      isOpen
      isSticky={made !== undefined}
      onClose={onClose}
      title="Hand over"
      description={server.label}
      footer={
        <>
          <Button onClick={onClose}>{made ? 'Close' : 'Cancel'}</Button>
          {!made && (
            <Button variant="primary" isPending={offer.isPending} onClick={() => void make()}>
              Make a code
            </Button>
          )}
        </>
      }
    >
      {made ? <Code {...made} /> : <Consequences openUntil={server.transfer?.expiresAt} />}
    </Dialog>
  )
}

function Code({ code, expiresAt }: { code: string; expiresAt: string }) {
  return (
    <div className="space-y-4">
      <p>
        The other person opens My Instances in their own account, presses Accept a server and enters
        this code.
      </p>
      <div className="flex items-center justify-between gap-2 rounded-md border bg-sunken py-1.5 pr-1.5 pl-3.5">
        <span className="min-w-0 break-all font-mono">{code}</span>
        <Copy value={code} label="Copy the code" />
      </div>
      <p>
        It is good until {exactTime(new Date(expiresAt))}, for the first account that enters it. It
        is <strong className="font-semibold">not shown again</strong>.
      </p>
    </div>
  )
}

function Consequences({ openUntil }: { openUntil: string | undefined }) {
  return (
    <div className="space-y-4">
      {openUntil !== undefined && (
        <Note>A code is open until {exactTime(new Date(openUntil))}. A new one replaces it.</Note>
      )}
      <p>You get a code for one day. The first account to enter it gets the server:</p>
      <ul className="list-disc space-y-1.5 pl-5">
        <li>
          <strong className="font-semibold">You lose it at once</strong>, with your console and
          everything about it here. Only its new owner could hand it back.
        </li>
        <li>
          Everything on its disk goes with it. Remove what is yours before you give the code away.
        </li>
        <li>The time you paid for goes with it. Nothing is refunded.</li>
        <li>Its password and keys are replaced, and it restarts.</li>
      </ul>
    </div>
  )
}

import { useId, useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { serverPath } from '../../lib/paths/paths.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { SERVER_CHANGED } from '../instance/server-changed.ts'
import { KeyChoice } from '../wishes/wishes-fields.tsx'

/** Takes over a server with the code that its owner made. */
export function AcceptDialog({ onClose }: { onClose: () => void }) {
  const formId = useId()
  const [code, setCode] = useState('')
  const [keys, setKeys] = useState<readonly number[]>([])
  const [mine, setMine] = useState<number>()
  const accept = useAction(api.client.takeOver, {
    done: { title: 'The server is yours' },
    failed: 'The server was not accepted',
    refresh: SERVER_CHANGED,
  })
  const typed = code.trim()
  const submit = async () => {
    if (typed === '') return
    const outcome = await accept.run({ params: { code: typed }, body: { sshKeyIds: [...keys] } })
    if (outcome.ok) setMine(outcome.result.instanceId)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Accept a server"
      footer={
        mine === undefined ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              type="submit"
              form={formId}
              variant="primary"
              disabled={typed === ''}
              isPending={accept.isPending}
            >
              Accept
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>Close</Button>
            <Link href={serverPath(mine)} className={buttonClass({ variant: 'primary' })}>
              Open the server
            </Link>
          </>
        )
      }
    >
      {mine === undefined ? (
        <form
          id={formId}
          noValidate
          className="space-y-5"
          onSubmit={(event) => {
            event.preventDefault()
            void submit()
          }}
        >
          <TextField
            label="Code"
            hint="Its owner made it on the page of the server."
            value={code}
            maxLength={60}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            className="font-mono"
            onChange={(event) => setCode(event.target.value)}
          />
          <KeyChoice chosen={keys} onChange={setKeys} />
          <p>The server comes with the time that is paid, and restarts with a login of yours.</p>
          <WayIn />
        </form>
      ) : (
        <div className="space-y-4">
          <p>
            Its login is being replaced, which takes about a minute. The page of the server shows
            when that is done.
          </p>
          <WayIn />
        </div>
      )}
    </Dialog>
  )
}

function WayIn() {
  return (
    <Note tone="warn">
      The former owner could have left a way in: a key or a program on its disk, which we cannot
      see. Reinstall it to be sure.
    </Note>
  )
}

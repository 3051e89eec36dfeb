import { SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { directConsoleAddress, readVnc } from '#shared/rules/instance/console-address.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { consolePath } from '../../lib/paths/paths.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { failureOf, problemOf } from './console-words.ts'

type Step =
  | { kind: 'idle' }
  | { kind: 'connecting' }
  | { kind: 'ready'; address: string }
  | { kind: 'failed'; message: string }

type ConsoleDialogProps = {
  instance: { id: number; name: string; status: string }
  onClose: () => void
}

const POPUP = 'popup,noopener,noreferrer,width=1024,height=768'

/** Prepares the screen of a server, then opens it in its own window. */
export function ConsoleDialog({ instance, onClose }: ConsoleDialogProps) {
  const [step, setStep] = useState<Step>({ kind: 'idle' })
  const ticket = useAction(api.consoles.ticket, {
    // Ready means that the console can be opened.
    done: (reply) => problemOf(reply)?.toast ?? { title: 'Console access ready' },
    failed: (error) => failureOf(error).toast,
  })

  async function prepare() {
    setStep({ kind: 'connecting' })
    const outcome = await ticket.run({ params: { id: instance.id } })
    if (!outcome.ok) {
      return setStep({ kind: 'failed', message: failureOf(outcome.error).message })
    }
    const vnc = readVnc(outcome.result)
    if ('problem' in vnc) return setStep({ kind: 'failed', message: vnc.problem })
    const address = outcome.result.isDirect
      ? directConsoleAddress(location, vnc)
      : consolePath(instance.id, vnc.ticket)
    setStep({ kind: 'ready', address })
  }

  function open(address: string) {
    window.open(address, '_blank', POPUP)
    onClose()
  }

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Console Access - ${instance.name}`}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {step.kind === 'ready' ? (
            <Button variant="primary" onClick={() => open(step.address)}>
              <SquareTerminal aria-hidden="true" className="size-4" />
              Open Console in New Window
            </Button>
          ) : (
            <Button
              variant="primary"
              isPending={step.kind === 'connecting'}
              onClick={() => void prepare()}
            >
              {step.kind === 'connecting' ? 'Connecting...' : 'Get Console Access'}
            </Button>
          )}
        </>
      }
    >
      {step.kind === 'ready' ? (
        <p>Console access is ready! Click below to open the VNC console in a new window.</p>
      ) : (
        <p>Click the button below to prepare VNC console access for this instance.</p>
      )}
      {instance.status === 'stopped' && step.kind === 'idle' && (
        <p className="mt-3 text-ink-soft">
          This server is off: it has no screen until you start it.
        </p>
      )}
      {step.kind === 'failed' && (
        <p role="alert" className="mt-3 text-danger">
          {step.message}
        </p>
      )}
    </Dialog>
  )
}

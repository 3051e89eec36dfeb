import { CirclePause, CirclePlay } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Textarea } from '../../ui/form/textarea.tsx'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { SERVER_CHANGED } from './server-changed.ts'

type Suspendable = { id: number; name: string; suspended: { reason: string } | null }

export function SuspendButton({ instance, hasText }: { instance: Suspendable; hasText?: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const maySuspend = useMay('run')
  if (!maySuspend) return null
  const isSuspended = instance.suspended !== null
  const Icon = isSuspended ? CirclePlay : CirclePause
  const word = isSuspended ? 'Resume' : 'Suspend'
  const close = () => setOpen(false)
  return (
    <>
      <Button
        variant={hasText ? 'secondary' : 'ghost'}
        size={hasText ? 'sm' : 'icon'}
        title={word}
        aria-label={`${word} ${instance.name}`}
        onClick={() => setOpen(true)}
      >
        <Icon aria-hidden="true" className={hasText ? 'size-3.5' : 'size-4'} />
        {hasText && word}
      </Button>
      {isOpen && isSuspended && <ResumeDialog instance={instance} onClose={close} />}
      {isOpen && !isSuspended && <SuspendDialog instance={instance} onClose={close} />}
    </>
  )
}

/** Shown beside the state, with the reason that the client sees. */
export function SuspendedMark({ suspended: { reason } }: { suspended: { reason: string } }) {
  return (
    <span className="block max-w-48 truncate text-bad text-xs" title={reason}>
      Suspended: {reason}
    </span>
  )
}

type DialogProps = { instance: Suspendable; onClose: () => void }

function SuspendDialog({ instance: { id, name }, onClose }: DialogProps) {
  const [reason, setReason] = useState('')
  const suspend = useAction(api.instances.suspend, {
    done: { title: 'Server suspended', description: name },
    failed: 'The server was not suspended',
    refresh: SERVER_CHANGED,
  })
  const submit = async () => {
    const { ok } = await suspend.run({ params: { id }, body: { reason } })
    if (ok) onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Suspend server"
      description={name}
      verb="Suspend"
      isDanger
      isReady={reason.trim() !== ''}
      isPending={suspend.isPending}
      className="space-y-5"
      onSubmit={submit}
    >
      <p>
        The server shuts down and keeps everything on it. Its client can neither start it nor open
        its console. The paid time keeps running.
      </p>
      <Field label="Reason" hint="The client sees this.">
        {(control) => (
          <Textarea
            {...control}
            rows={3}
            maxLength={300}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}

function ResumeDialog({ instance: { id, name, suspended }, onClose }: DialogProps) {
  const resume = useAction(api.instances.resume, {
    done: { title: 'Server resumed', description: name },
    failed: 'The server was not resumed',
    refresh: SERVER_CHANGED,
  })
  const confirm = async () => {
    const { ok } = await resume.run({ params: { id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Resume ${name}?`}
      action="Resume"
      onConfirm={() => void confirm()}
      isPending={resume.isPending}
    >
      It was suspended: “{suspended?.reason}” It starts again unless its paid time is over.
    </Confirm>
  )
}

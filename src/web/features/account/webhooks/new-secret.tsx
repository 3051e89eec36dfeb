import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { Copy } from '../../../widgets/facts/copy.tsx'

type NewSecretProps = { secret: string; isReplaced: boolean; onClose: () => void }

/** The secret, which no later page shows. */
export function NewSecret({ secret, isReplaced, onClose }: NewSecretProps) {
  return (
    <Dialog
      isOpen
      isSticky
      onClose={onClose}
      title="Secret of the webhook"
      footer={
        <Button variant="primary" onClick={onClose}>
          I have the secret
        </Button>
      }
    >
      <div className="space-y-4">
        <Note tone="warn">The secret is shown only now. Copy it before you close this.</Note>
        <p className="flex items-center justify-between gap-3">
          <span className="min-w-0 break-all font-mono">{secret}</span>
          <Copy value={secret} label="Copy secret" />
        </p>
        <p className="text-ink-soft">
          Every call is signed with it, as Standard Webhooks has it. Refuse calls that are not.
          {isReplaced && ' For a day they are signed with the old secret as well.'}
        </p>
      </div>
    </Dialog>
  )
}

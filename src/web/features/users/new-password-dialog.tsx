import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Copy } from '../../widgets/facts/copy.tsx'

type NewPasswordDialogProps = { name: string; password: string; onClose: () => void }

/** Stays until closed: a toast is too short for the only copy of a password. */
export function NewPasswordDialog({ name, password, onClose }: NewPasswordDialogProps) {
  return (
    <Dialog
      isOpen
      isSticky
      onClose={onClose}
      title="New password"
      description={`For ${name}. It is shown this once.`}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex items-center justify-between gap-3 rounded-md border bg-sunken px-4 py-3">
        <code className="font-mono font-semibold text-base">{password}</code>
        <Copy value={password} label="Copy password" />
      </div>
    </Dialog>
  )
}

import { useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Label } from '../../ui/label.tsx'
import { Textarea } from '../../ui/textarea.tsx'

type PasteDialogProps = { onPaste: (text: string) => void; onClose: () => void }

/** Text goes to the server as keystrokes, one after another. */
export function PasteDialog({ onPaste, onClose }: PasteDialogProps) {
  const [text, setText] = useState('')
  const field = useId()
  const paste = () => {
    onPaste(text)
    onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Paste as keystrokes"
      description="The server receives the text as if it were typed."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={text === ''} onClick={paste}>
            Type it
          </Button>
        </>
      }
    >
      <Label htmlFor={field}>Text</Label>
      <Textarea id={field} value={text} onChange={(event) => setText(event.target.value)} />
    </Dialog>
  )
}

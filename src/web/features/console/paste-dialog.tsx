import { useState } from 'react'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Select } from '../../ui/form/select.tsx'
import { Textarea } from '../../ui/form/textarea.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { LAYOUTS, type LayoutId } from './keyboard-layouts.ts'
import { type KeyEvent, keystrokes } from './keystrokes.ts'

const OPTIONS = LAYOUTS.map(({ id, label }) => ({ value: id, label }))
/** About a minute of typing. */
const MAX_LENGTH = 2000

type PasteDialogProps = {
  layout: LayoutId
  onLayout: (layout: LayoutId) => void
  onType: (strokes: KeyEvent[][]) => void
  onClose: () => void
}

/** Sends text to the server as keystrokes, one after another. */
export function PasteDialog({ layout, onLayout, onType, onClose }: PasteDialogProps) {
  const [text, setText] = useState('')
  const { strokes, missing } = keystrokes(text, layout)
  const left = `This keyboard does not have: ${missing.join(' ')}. They are left out.`
  const type = () => {
    onClose()
    onType(strokes)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Paste as keystrokes"
      description="The server receives the text as if it were typed on its keyboard."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={strokes.length === 0} onClick={type}>
            Type it
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field label="Text" error={missing.length > 0 ? left : undefined}>
          {(control) => (
            <Textarea
              {...control}
              value={text}
              maxLength={MAX_LENGTH}
              spellCheck={false}
              autoCapitalize="off"
              className="font-mono"
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <Field label="Keyboard of the server" hint="As it is set in the server’s own system.">
          {(control) => (
            <Select
              {...control}
              options={OPTIONS}
              value={layout}
              onChange={(event) => onLayout(event.target.value as LayoutId)}
            />
          )}
        </Field>
      </div>
    </Dialog>
  )
}

import { type FormEvent, use, useState } from 'react'
import { keyFileName, makeKey } from '../../../lib/ssh/make-key.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { TextField } from '../../../ui/form/text-field.tsx'
import { DialogFooter } from '../../../ui/overlay/dialog.tsx'
import { CommandLine } from './command-line.tsx'
import { KeyFile, type NamedKey, saveKeyFile } from './key-file.tsx'
import { NAME_MAX, nameRefusal } from './key-form.ts'
import type { Ring } from './paste-key.tsx'

type MakeKeyProps = {
  ring: Ring
  canMake: Promise<boolean>
  onMade: () => void
  onClose: () => void
}

/** Makes a key in the browser: only its public half is sent. */
export function MakeKey({ ring, canMake, onMade, onClose }: MakeKeyProps) {
  const [made, setMade] = useState<NamedKey>()
  if (!use(canMake)) return <NotHere onClose={onClose} />
  if (made) return <KeyFile made={made} ring={ring} onClose={onClose} />
  return (
    <NameForm
      onClose={onClose}
      onNamed={async (name) => {
        const key = await makeKey(name)
        saveKeyFile({ ...key, name })
        setMade({ ...key, name })
        onMade()
      }}
    />
  )
}

type NameFormProps = { onNamed: (name: string) => Promise<void>; onClose: () => void }

function NameForm({ onNamed, onClose }: NameFormProps) {
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const [isMaking, setMaking] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    const refusal = nameRefusal(name)
    setError(refusal)
    if (refusal !== undefined) return
    setMaking(true)
    try {
      await onNamed(name.trim())
    } catch {
      setError('The browser could not make a key. Please try again.')
      setMaking(false)
    }
  }

  return (
    <form noValidate className="space-y-5" onSubmit={(event) => void submit(event)}>
      <p>
        Your browser makes an Ed25519 key and saves its private half as a file. Only the public half
        is sent to us.
      </p>
      <TextField
        label="Name"
        hint={`The file will be ${keyFileName(name)}.`}
        error={error}
        value={name}
        onChange={(event) => setName(event.target.value)}
        maxLength={NAME_MAX}
        autoComplete="off"
        spellCheck={false}
      />
      <DialogFooter className="-mx-5 -mb-5">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={isMaking}>
          Make key
        </Button>
      </DialogFooter>
    </form>
  )
}

function NotHere({ onClose }: { onClose: () => void }) {
  return (
    <div className="space-y-5">
      <Note>
        This browser cannot make a key here: that takes a current browser and a page over https.
        Make one on your computer, then paste the line from its .pub file.
      </Note>
      <div className="space-y-2">
        <CommandLine text="ssh-keygen -t ed25519" />
        <CommandLine text="cat ~/.ssh/id_ed25519.pub" />
      </div>
      <DialogFooter className="-mx-5 -mb-5">
        <Button onClick={onClose}>Close</Button>
      </DialogFooter>
    </div>
  )
}

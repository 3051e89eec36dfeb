import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { keyFileName, type MadeKey } from '../../../lib/ssh/make-key.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DialogFooter } from '../../../ui/overlay/dialog.tsx'
import { CommandLine } from './command-line.tsx'
import type { Ring } from './paste-key.tsx'

export type NamedKey = MadeKey & { name: string }

/** Not as plain text: browsers would add .txt to its name. */
export const saveKeyFile = ({ name, privateKeyFile }: NamedKey): void =>
  saveFile(keyFileName(name), privateKeyFile, 'application/octet-stream')

type KeyFileProps = { made: NamedKey; ring: Ring; onClose: () => void }

/** The new key: its file to keep, then its public half to add. */
export function KeyFile({ made, ring, onClose }: KeyFileProps) {
  const { name, publicKey } = made
  const [isAdded, setAdded] = useState(false)
  const file = keyFileName(name)
  const heading = useRef<HTMLHeadingElement>(null)
  // The pressed button is gone; a screen reader must hear what replaced it.
  useEffect(() => {
    heading.current?.focus()
  }, [])
  return (
    <div className="space-y-5">
      <h3 ref={heading} tabIndex={-1} className="break-words font-semibold outline-none">
        Keep the file {file}
      </h3>
      <Note tone={isAdded ? 'good' : 'warn'}>
        {isAdded
          ? 'The public key is now among your SSH keys. You can save the file again until you close this.'
          : 'It is the private half, made in this browser and never sent: nobody can give it to you again.'}
      </Note>
      <Button onClick={() => saveKeyFile(made)}>
        <Download aria-hidden="true" className="size-4" />
        Save the file again
      </Button>
      <div className="space-y-2">
        <p>Move it into ~/.ssh. On Linux and macOS, make it readable for you alone:</p>
        <CommandLine text={`chmod 600 ~/.ssh/${file}`} />
      </div>
      <div className="space-y-2">
        <p>Sign in to a server that was made with this key:</p>
        <CommandLine text={`ssh -i ~/.ssh/${file} user@address`} />
      </div>
      <DialogFooter className="-mx-5 -mb-5">
        {isAdded ? (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              variant="primary"
              isPending={ring.isAdding}
              onClick={async () => setAdded(await ring.add({ name, publicKey }))}
            >
              Add key
            </Button>
          </>
        )}
      </DialogFooter>
    </div>
  )
}

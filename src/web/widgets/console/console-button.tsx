import { SquareTerminal } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useMay } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'

const ConsoleDialog = lazyPage(() => import('./console-dialog.tsx'), 'ConsoleDialog')

type ConsoleButtonProps = {
  instance: { id: number; name: string; status: string }
  /** Icon only, where there are many rows. */
  hasText?: boolean
}

/** Opens the dialog that leads to a server's screen; for a server that is off it says so. */
export function ConsoleButton({ instance, hasText = false }: ConsoleButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const mayOpen = useMay('run')
  if (!mayOpen) return null
  return (
    <>
      <Button
        variant={hasText ? 'secondary' : 'ghost'}
        size={hasText ? 'sm' : 'icon'}
        aria-label={`Console of ${instance.name}`}
        title="Console"
        onClick={() => setOpen(true)}
      >
        <SquareTerminal aria-hidden="true" className={hasText ? 'size-3.5' : 'size-4'} />
        {hasText && 'Console'}
      </Button>
      {isOpen && (
        <Suspense>
          <ConsoleDialog instance={instance} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

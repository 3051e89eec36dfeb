import { Suspense, useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { lazyPage } from '../../../lib/browser/lazy-page.ts'
import { Button } from '../../../ui/form/button.tsx'

const HandOverDialog = lazyPage(() => import('./hand-over-dialog.tsx'), 'HandOverDialog')

/** Where its owner ends a server, it can also be handed to another account. */
export function HandOverButton({ server }: { server: Server }) {
  const [isOpen, setOpen] = useState(false)
  const { allowed, why } = server.can.transfer
  const name = `Hand over ${server.label}`
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        disabled={!allowed}
        title={why ?? name}
        aria-label={name}
        onClick={() => setOpen(true)}
      >
        Hand over
      </Button>
      {isOpen && (
        <Suspense>
          <HandOverDialog server={server} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

import { Suspense, useState } from 'react'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'

const EndServerDialog = lazyPage(() => import('./end-server-dialog.tsx'), 'EndServerDialog')

type EndOwnServerProps = {
  token: Pick<ClientToken, 'label' | 'status' | 'assignedInstanceId'>
  isSimulated: boolean
}

/** The client's button that ends a server; nothing where there is none to end. */
export function EndOwnServer({ token, isSimulated }: EndOwnServerProps) {
  const [isOpen, setOpen] = useState(false)
  const { label, status, assignedInstanceId: id } = token
  const isDelivered = status === 'assigned' || status === 'expired'
  if (!isDelivered || id === null || isSimulated) return null
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        className="max-sm:px-2"
        aria-label={`End server ${label}`}
        onClick={() => setOpen(true)}
      >
        End server
      </Button>
      {isOpen && (
        <Suspense>
          <EndServerDialog
            instance={{ id, name: label }}
            audience="owner"
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

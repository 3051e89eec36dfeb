import { Suspense, useState } from 'react'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'

const AcceptDialog = lazyPage(() => import('./accept-dialog.tsx'), 'AcceptDialog')

/** For a server that another account hands over. */
export function AcceptButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        Accept a server
      </Button>
      {isOpen && (
        <Suspense>
          <AcceptDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

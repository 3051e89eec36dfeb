import { Suspense } from 'react'
import { useMe } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'

const AcceptButton = lazyPage(() => import('./accept-button.tsx'), 'AcceptButton')

/** Only the client itself can accept a server: an operator who simulates it sees no button. */
export function LazyAccept() {
  const { isSimulated = false } = useMe()
  return (
    !isSimulated && (
      <Suspense>
        <AcceptButton />
      </Suspense>
    )
  )
}

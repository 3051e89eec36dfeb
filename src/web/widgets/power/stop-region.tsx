import { Suspense, useSyncExternalStore } from 'react'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { currentStopRequest, endStopRequest, subscribeToStopRequest } from './stop-request.ts'

const StopDialog = lazyPage(() => import('./stop-dialog.tsx'), 'StopDialog')

/** Renders the confirmation before a hard stop. */
export function StopRegion() {
  const request = useSyncExternalStore(subscribeToStopRequest, currentStopRequest)
  if (!request) return null
  return (
    <Suspense>
      <StopDialog key={request.instance.id} {...request} onClose={endStopRequest} />
    </Suspense>
  )
}

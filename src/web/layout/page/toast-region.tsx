import { lazy, Suspense, useSyncExternalStore } from 'react'
import { currentToasts, dismissToast, subscribeToToasts } from '../../api/toasts.ts'

const load = () => import('../../ui/feedback/toast.tsx')
const Toaster = lazy(async () => ({ default: (await load()).Toaster }))

/** Loaded along with pages that have actions, so that the first toast does not wait. */
export const preloadToasts = () => void load()

/** Rendered with the first toast: a visitor who only reads never needs it. */
export function ToastRegion() {
  const toasts = useSyncExternalStore(subscribeToToasts, currentToasts)
  if (toasts.length === 0) return null
  return (
    <Suspense>
      <Toaster toasts={toasts} onDismiss={dismissToast} />
    </Suspense>
  )
}

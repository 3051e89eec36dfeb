import type { ReactNode } from 'react'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { ErrorState } from '../../ui/feedback/error-state.tsx'

/**
 * A page that failed to load or to render. After an update the old chunks are gone: reloading
 * helps.
 */
export function PageBoundary({ children }: { children: ReactNode }) {
  return (
    <ErrorBoundary
      fallback={() => (
        <ErrorState title="This page could not be shown" onRetry={() => location.reload()}>
          The connection may have dropped, or a new version was published while you were here.
          Nothing you saved is lost.
        </ErrorState>
      )}
    >
      {children}
    </ErrorBoundary>
  )
}

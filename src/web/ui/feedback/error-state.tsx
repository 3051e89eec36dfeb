import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../form/button.tsx'

type ErrorStateProps = {
  /** What happened. */
  title: string
  /** Why, and what to do. */
  children?: ReactNode
  onRetry?: () => void
  isRetrying?: boolean
}

export function ErrorState({ title, children, onRetry, isRetrying = false }: ErrorStateProps) {
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-14 text-center">
      <TriangleAlert aria-hidden="true" strokeWidth={1.5} className="mb-4 size-8 text-bad" />
      <p className="font-semibold text-base">{title}</p>
      {children && <div className="mt-1 max-w-md text-ink-soft">{children}</div>}
      {onRetry && (
        <Button className="mt-5" onClick={onRetry} isPending={isRetrying}>
          Try again
        </Button>
      )}
    </div>
  )
}

import clsx from 'clsx'

/**
 * The outline of content that is loading. Appears after 150 ms: a quick answer shows no skeleton at
 * all.
 */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={clsx('block animate-late rounded-sm bg-sunken', className)}
    />
  )
}

/** Wraps the skeletons of one region and announces once that it is loading. */
export function Loading({
  label = 'Loading',
  children,
}: {
  label?: string
  children: React.ReactNode
}) {
  return (
    <div role="status">
      <span className="sr-only">{label}</span>
      {children}
    </div>
  )
}

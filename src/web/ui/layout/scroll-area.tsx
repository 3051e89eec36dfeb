import clsx from 'clsx'
import * as Radix from 'radix-ui/scroll-area'
import type { ReactNode } from 'react'

type ScrollAreaProps = {
  label: string
  children: ReactNode
  className?: string
  /** Of the content security policy: the viewport adds a style element. */
  nonce?: string | undefined
}

export function ScrollArea({ label, children, className, nonce }: ScrollAreaProps) {
  return (
    <Radix.Root scrollHideDelay={600} className={clsx('overflow-hidden', className)}>
      <Radix.Viewport
        {...(nonce && { nonce })}
        role="region"
        aria-label={label}
        // A scrollable area must be reachable by keyboard.
        tabIndex={0}
        className="size-full max-h-[inherit] -outline-offset-2"
      >
        {children}
      </Radix.Viewport>
      <Radix.Scrollbar orientation="vertical" className="flex w-2 touch-none select-none p-0.5">
        <Radix.Thumb className="flex-1 rounded-full bg-line-strong" />
      </Radix.Scrollbar>
    </Radix.Root>
  )
}

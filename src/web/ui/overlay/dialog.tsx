import clsx from 'clsx'
import { X } from 'lucide-react'
import * as Radix from 'radix-ui/dialog'
import type { ReactNode } from 'react'
import { buttonClass } from '../form/button.tsx'
import { useEscape } from './escape.ts'
import { useReturnFocus } from './use-return-focus.ts'

export const overlayClass = 'fixed inset-0 z-40 animate-appear bg-veil'
export const panelClass = clsx(
  // A focused field stops above the buttons, which stay visible.
  'fixed z-50 scroll-pt-16 scroll-pb-24 animate-appear overflow-y-auto border bg-card max-sm:scroll-pb-36',
  'inset-x-3 bottom-3 max-h-[calc(100dvh-1.5rem)] rounded-md',
  'sm:inset-x-auto sm:bottom-auto sm:top-1/2 sm:left-1/2 sm:w-[calc(100vw-2rem)]',
  'sm:max-w-lg sm:-translate-x-1/2 sm:-translate-y-1/2',
)

type DialogProps = {
  isOpen: boolean
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  children: ReactNode
  /** Buttons, at the end. */
  footer?: ReactNode
  /** A dialog whose content must not be lost closes by its buttons only. */
  isSticky?: boolean
}

export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  children,
  footer,
  isSticky = false,
}: DialogProps) {
  const returnFocus = useReturnFocus()
  const onEscape = useEscape(() => !isSticky && onClose())
  const keepOpen = (event: Event) => {
    if (isSticky) event.preventDefault()
  }
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content
          {...returnFocus}
          {...onEscape}
          className={panelClass}
          onPointerDownOutside={keepOpen}
          onInteractOutside={keepOpen}
          onEscapeKeyDown={keepOpen}
          {...(!description && { 'aria-describedby': undefined })}
        >
          <header className="pt-5 pr-14 pl-5">
            <Radix.Title className="font-semibold text-lg">{title}</Radix.Title>
            {description && (
              <Radix.Description className="mt-1 text-ink-soft">{description}</Radix.Description>
            )}
          </header>
          <div className="p-5">{children}</div>
          {footer && <DialogFooter>{footer}</DialogFooter>}
          {/* Last, so that the focus starts at the first field. */}
          <Radix.Close
            aria-label="Close"
            className={clsx(
              buttonClass({ variant: 'ghost', size: 'icon' }),
              'absolute top-4 right-3',
            )}
          >
            <X aria-hidden="true" className="size-4" />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Stays visible at the end of a dialog that is longer than the screen. */
export function DialogFooter({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <footer
      className={clsx(
        'sticky bottom-0 flex flex-col-reverse gap-2 border-t bg-card px-5 py-4 sm:flex-row sm:justify-end',
        className,
      )}
    >
      {children}
    </footer>
  )
}

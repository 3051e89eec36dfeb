import { X } from 'lucide-react'
import * as Radix from 'radix-ui/dialog'
import type { ReactNode } from 'react'
import { buttonClass } from './button.tsx'
import { overlayClass } from './dialog.tsx'
import { useEscape } from './escape.ts'
import { useReturnFocus } from './use-return-focus.ts'

type SheetProps = { onClose: () => void; title: string; children: ReactNode }

/** A panel from the left edge, for small screens. */
export function Sheet({ onClose, title, children }: SheetProps) {
  const returnFocus = useReturnFocus()
  const onEscape = useEscape(onClose)
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content
          {...returnFocus}
          {...onEscape}
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] animate-slide-from-left flex-col border-r bg-card"
        >
          <Radix.Title className="sr-only">{title}</Radix.Title>
          <Radix.Close
            aria-label="Close"
            className={`${buttonClass({ variant: 'ghost', size: 'icon' })} absolute top-3 right-3`}
          >
            <X aria-hidden="true" className="size-4" />
          </Radix.Close>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

import * as Radix from 'radix-ui/dialog'
import type { ReactNode } from 'react'
import { overlayClass } from './dialog.tsx'
import { useEscape } from './escape.ts'
import { useReturnFocus } from './use-return-focus.ts'

type PanelProps = { label: string; onClose: () => void; className: string; children: ReactNode }

/** A modal dialog without a visible title or a fixed layout. */
export function Panel({ label, onClose, className, children }: PanelProps) {
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
          className={className}
        >
          <Radix.Title className="sr-only">{label}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

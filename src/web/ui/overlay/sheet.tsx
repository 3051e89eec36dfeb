import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../form/button.tsx'
import { Panel } from './panel.tsx'

type SheetProps = { onClose: () => void; title: string; children: ReactNode }

/** A panel from the left edge, for small screens. */
export function Sheet({ onClose, title, children }: SheetProps) {
  return (
    <Panel
      label={title}
      onClose={onClose}
      className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] animate-slide-from-left flex-col border-r bg-card"
    >
      <Button
        variant="ghost"
        size="icon"
        aria-label="Close"
        className="absolute top-3 right-3"
        onClick={onClose}
      >
        <X aria-hidden="true" className="size-4" />
      </Button>
      {children}
    </Panel>
  )
}

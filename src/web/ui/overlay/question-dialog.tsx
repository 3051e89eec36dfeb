import * as Radix from 'radix-ui/alert-dialog'
import type { ReactNode, RefObject } from 'react'
import { Button } from '../form/button.tsx'
import { DialogFooter, overlayClass, panelClass } from './dialog.tsx'
import { useEscape } from './escape.ts'
import { useReturnFocus } from './use-return-focus.ts'

type QuestionDialogProps = {
  onClose: () => void
  title: ReactNode
  children: ReactNode
  /** Below the text, such as a form to fill in. */
  form?: ReactNode
  /** The buttons besides Cancel. */
  footer: ReactNode
  /** The button that has the focus at first; Cancel by default. */
  firstFocus?: RefObject<HTMLElement | null>
}

/** A modal question with Cancel and one or more other answers. */
export function QuestionDialog({
  onClose,
  title,
  children,
  form,
  footer,
  firstFocus,
}: QuestionDialogProps) {
  const { onOpenAutoFocus, ...returnFocus } = useReturnFocus()
  const onEscape = useEscape(onClose)
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content
          {...returnFocus}
          {...onEscape}
          className={panelClass}
          onOpenAutoFocus={(event) => {
            onOpenAutoFocus()
            if (!firstFocus?.current) return
            event.preventDefault()
            firstFocus.current.focus()
          }}
        >
          <div className="space-y-4 p-5">
            <Radix.Title className="break-words font-semibold text-lg">{title}</Radix.Title>
            <Radix.Description asChild>
              <div className="text-ink-soft">{children}</div>
            </Radix.Description>
            {form}
          </div>
          <DialogFooter>
            <Radix.Cancel asChild>
              <Button>Cancel</Button>
            </Radix.Cancel>
            {footer}
          </DialogFooter>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

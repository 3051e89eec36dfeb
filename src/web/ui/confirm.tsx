import * as Radix from 'radix-ui/alert-dialog'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { DialogFooter, overlayClass, panelClass } from './dialog.tsx'
import { useEscape } from './escape.ts'
import { Field } from './field.tsx'
import { Input } from './input.tsx'
import { useReturnFocus } from './use-return-focus.ts'

type ConfirmProps = {
  isOpen: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** What the button does, as a verb. */
  action: string
  onConfirm: () => void
  isPending?: boolean
  isDangerous?: boolean
  /** Must be typed before the button works: for what cannot be undone. */
  typed?: string
}

/** Asks first. Focus starts on Cancel. */
export function Confirm({ isOpen, onClose, ...props }: ConfirmProps) {
  const returnFocus = useReturnFocus()
  const onEscape = useEscape(onClose)
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content {...returnFocus} {...onEscape} className={panelClass}>
          {/* Inside the portal, so that each opening starts with an empty field. */}
          <Question {...props} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

function Question({
  title,
  children,
  action,
  onConfirm,
  isPending = false,
  isDangerous = false,
  typed,
}: Omit<ConfirmProps, 'isOpen' | 'onClose'>) {
  const [text, setText] = useState('')
  const isReady = typed === undefined || text.trim() === typed
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) onConfirm()
      }}
    >
      <div className="space-y-4 p-5">
        <Radix.Title className="font-semibold text-lg">{title}</Radix.Title>
        <Radix.Description asChild>
          <div className="text-ink-soft">{children}</div>
        </Radix.Description>
        {typed !== undefined && (
          <Field label={`Type ${typed} to confirm`}>
            {(control) => (
              <Input
                {...control}
                autoComplete="off"
                spellCheck={false}
                className="font-mono"
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
        )}
      </div>
      <DialogFooter>
        <Radix.Cancel asChild>
          <Button>Cancel</Button>
        </Radix.Cancel>
        <Button
          type="submit"
          variant={isDangerous ? 'danger' : 'primary'}
          disabled={!isReady}
          isPending={isPending}
        >
          {action}
        </Button>
      </DialogFooter>
    </form>
  )
}

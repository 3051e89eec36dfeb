import clsx from 'clsx'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import * as Radix from 'radix-ui/toast'
import { buttonClass } from '../form/button.tsx'
import { passToDialog } from '../overlay/escape.ts'

export type ToastItem = {
  id: number
  title: string
  description?: string
  tone?: 'neutral' | 'bad'
  duration?: number
  isOpen: boolean
}

type ToasterProps = { toasts: readonly ToastItem[]; onDismiss: (id: number) => void }

/**
 * The corner where actions show their results; F8 moves the focus there. On a phone it is the top
 * edge: dialogs have their buttons at the bottom.
 */
export function Toaster({ toasts, onDismiss }: ToasterProps) {
  return (
    <Radix.Provider duration={5000} swipeDirection="right" swipeThreshold={50}>
      {toasts.map((toast) => (
        <Item key={toast.id} toast={toast} onDismiss={() => onDismiss(toast.id)} />
      ))}
      <Radix.Viewport
        hotkey={['F8']}
        className="fixed inset-x-3 top-3 print:hidden z-60 outline-none sm:inset-x-auto sm:top-auto sm:right-4 sm:bottom-4 sm:w-96"
      />
    </Radix.Provider>
  )
}

function Item({ toast, onDismiss }: { toast: ToastItem; onDismiss: () => void }) {
  const isBad = toast.tone === 'bad'
  const Icon = isBad ? CircleAlert : CircleCheck
  return (
    <Radix.Root
      open={toast.isOpen}
      onOpenChange={(open) => !open && onDismiss()}
      onEscapeKeyDown={passToDialog}
      type={isBad ? 'foreground' : 'background'}
      {...(toast.duration !== undefined && { duration: toast.duration })}
      className={clsx(
        'flex animate-slide-in items-start gap-3 rounded-md border bg-card p-4',
        'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0',
        'data-[swipe=end]:opacity-0',
        isBad ? 'border-bad-mark' : 'border-line-strong',
      )}
    >
      <Icon
        aria-hidden="true"
        className={clsx('mt-0.5 size-4 shrink-0', isBad ? 'text-bad' : 'text-good')}
      />
      <div className="min-w-0 flex-1">
        <Radix.Title className="font-semibold">{toast.title}</Radix.Title>
        {toast.description && (
          <Radix.Description className="mt-0.5 break-words text-ink-soft">
            {toast.description}
          </Radix.Description>
        )}
      </div>
      <Radix.Close
        aria-label="Close"
        className={clsx(buttonClass({ variant: 'ghost', size: 'icon' }), '-m-2')}
      >
        <X aria-hidden="true" className="size-4" />
      </Radix.Close>
    </Radix.Root>
  )
}

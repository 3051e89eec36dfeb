/** The text shown in a corner after an action. */
export type Notice = {
  title: string
  description?: string
  tone?: 'neutral' | 'bad'
  /** Milliseconds; 5000 by default. */
  duration?: number
}
export type Toast = Notice & { id: number; isOpen: boolean }

type Change = { type: 'show'; toast: Toast } | { type: 'dismiss' | 'remove'; id: number }

/** How long a dismissed toast is remembered. */
const REMOVE_AFTER_MS = 1_000_000

/** Only one toast at a time: a new one replaces the old one. */
export function nextToasts(toasts: readonly Toast[], change: Change): readonly Toast[] {
  switch (change.type) {
    case 'show':
      return [change.toast]
    case 'dismiss':
      return toasts.map((toast) => (toast.id === change.id ? { ...toast, isOpen: false } : toast))
    case 'remove':
      return toasts.filter((toast) => toast.id !== change.id)
  }
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function apply(change: Change) {
  toasts = nextToasts(toasts, change)
  for (const listener of listeners) listener()
}

export function showToast(notice: Notice) {
  lastId += 1
  apply({ type: 'show', toast: { ...notice, id: lastId, isOpen: true } })
}

export function dismissToast(id: number) {
  apply({ type: 'dismiss', id })
  setTimeout(() => apply({ type: 'remove', id }), REMOVE_AFTER_MS)
}

export const currentToasts = () => toasts

export function subscribeToToasts(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

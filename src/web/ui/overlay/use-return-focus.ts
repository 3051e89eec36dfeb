import { useRef } from 'react'

/**
 * Returns the focus to the element that opened a dialog. Radix does so only for its own trigger,
 * and our dialogs are opened by state. An element that took the focus meanwhile, such as a new
 * page, keeps it.
 */
export function useReturnFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      const isFree = document.activeElement === document.body
      if (isFree && opener.current instanceof HTMLElement) opener.current.focus()
    },
  }
}

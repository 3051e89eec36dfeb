import type { KeyboardEvent } from 'react'

/** Escape presses that a toast above a dialog or menu passed on. */
const passedOn = new WeakSet<Event>()

const OPENED = '[role=dialog],[role=alertdialog],[role=menu]'

/**
 * Radix gives Escape to the layer that opened last. A toast that appears while a dialog is open is
 * that layer, but the user means the dialog: the toast disappears by itself.
 */
export function passToDialog(event: globalThis.KeyboardEvent): void {
  const { target } = event
  const isInside = target instanceof Element && target.closest(OPENED) !== null
  if (!isInside) return
  event.preventDefault()
  passedOn.add(event)
}

/** For the panel of a dialog or a menu: closes it on an Escape that a toast passed on. */
export const useEscape = (onClose: () => void) => ({
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
    // A dialog opened from this one is its child for React, but not in the document.
    const isOwn = event.target instanceof Node && event.currentTarget.contains(event.target)
    if (isOwn && passedOn.has(event.nativeEvent)) onClose()
  },
})

const PRESSABLE =
  'button, a[href], input, select, [role="button"], [role="menuitem"], [role="option"]'

/**
 * A held Enter is one press. Browsers repeat it, and every repetition would press whatever has the
 * focus by then: the button that was meant, the dialog after it, and that dialog's button.
 */
export function ignoreHeldEnter(page: Pick<Document, 'addEventListener'>): void {
  page.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Enter' || !event.repeat) return
      if (event.target instanceof Element && event.target.closest(PRESSABLE)) {
        event.preventDefault()
      }
    },
    { capture: true },
  )
}

/**
 * False where the browser refuses. Without https there is no clipboard API: the older one is used.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.setAttribute('aria-hidden', 'true')
  field.className = 'fixed -left-full top-0'
  // Focus may not leave an open dialog, so the field goes inside it.
  const home = focused?.closest('[role="dialog"], [role="alertdialog"]') ?? document.body
  home.append(field)
  field.select()
  let isCopied = false
  try {
    isCopied = document.execCommand('copy')
  } catch {
    isCopied = false
  }
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

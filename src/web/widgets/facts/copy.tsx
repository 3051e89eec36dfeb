import { showToast } from '../../api/toasts.ts'
import { copyText } from '../../lib/browser/clipboard.ts'
import type { ButtonLook } from '../../ui/form/button.tsx'
import { CopyButton } from '../../ui/form/copy-button.tsx'

export async function copyOrSay(value: string): Promise<boolean> {
  const isCopied = await copyText(value)
  if (!isCopied) {
    showToast({ tone: 'bad', title: 'Copy Failed', description: 'Failed to copy to clipboard' })
  }
  return isCopied
}

type CopyProps = ButtonLook & {
  value: string
  label: string
  hasText?: boolean
  className?: string
}

/** Copies a value. No call is involved, so this is the only toast outside of an action. */
export function Copy({ value, ...props }: CopyProps) {
  return <CopyButton {...props} onCopy={() => copyOrSay(value)} />
}

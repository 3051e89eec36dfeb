import clsx from 'clsx'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type ButtonLook, buttonClass } from './button.tsx'

const SHOWN_MS = 2_000

type CopyButtonProps = ButtonLook & {
  /** The name of the copied value: "Copy username". */
  label: string
  /** Copies; false where that failed. */
  onCopy: () => Promise<boolean>
  /** Shows the label beside the icon. */
  hasText?: boolean
  className?: string
}

export function CopyButton({
  label,
  onCopy,
  hasText = false,
  variant = 'ghost',
  size = 'icon',
  className,
}: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const Icon = isCopied ? Check : Copy
  const text = isCopied ? 'Copied' : label
  return (
    <button
      type="button"
      className={clsx(buttonClass({ variant, size }), className)}
      onClick={async () => setCopied(await onCopy())}
    >
      <Icon aria-hidden="true" className={clsx('size-4', isCopied && 'text-good')} />
      <span aria-live="polite" className={hasText ? undefined : 'sr-only'}>
        {text}
      </span>
    </button>
  )
}

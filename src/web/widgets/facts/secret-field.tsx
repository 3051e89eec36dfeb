import { Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/form/button.tsx'
import { Copy } from './copy.tsx'

const SHOWN_MS = 30_000
/** A fixed length, so that the dots reveal nothing. */
const DOTS = '••••••••••••'

/** A secret: hidden, with buttons to show it for half a minute and to copy it unseen. */
export function SecretField({ value, name }: { value: string; name: string }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isShown) return
    const timer = setTimeout(() => setShown(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isShown])
  const Icon = isShown ? EyeOff : Eye
  return (
    <span className="flex min-w-0 items-center justify-end">
      <span className="min-w-0 break-all font-mono">
        {isShown ? value : <span aria-hidden="true">{DOTS}</span>}
        {!isShown && <span className="sr-only">hidden</span>}
      </span>
      <Button
        variant="ghost"
        size="icon"
        className="-my-2 ml-1"
        aria-pressed={isShown}
        aria-label={`Show ${name}`}
        onClick={() => setShown(!isShown)}
      >
        <Icon aria-hidden="true" className="size-4" />
      </Button>
      <Copy value={value} label={`Copy ${name}`} className="-my-2 -mr-2" />
    </span>
  )
}

import clsx from 'clsx'
import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { buttonClass } from './button.tsx'
import { Input } from './input.tsx'

/** Hidden, with a button to show it; pasting is always allowed. */
export function PasswordInput({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  const [isShown, setShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  return (
    <span className="relative block">
      <Input
        spellCheck={false}
        autoCapitalize="off"
        {...props}
        type={isShown ? 'text' : 'password'}
        className={clsx('pr-11', isShown && 'font-mono', className)}
      />
      <button
        type="button"
        aria-label={isShown ? 'Hide password' : 'Show password'}
        onClick={() => setShown(!isShown)}
        className={clsx(
          buttonClass({ variant: 'ghost', size: 'icon' }),
          'absolute top-0.5 right-0.5',
        )}
      >
        <Icon aria-hidden="true" className="size-4" />
      </button>
    </span>
  )
}

import clsx from 'clsx'
import type { ComponentProps, MouseEvent } from 'react'
import { Spinner } from '../indicator/spinner.tsx'

const VARIANTS = {
  /** The main action of a screen. */
  primary:
    'bg-accent text-accent-ink hover:bg-accent-hover disabled:hover:bg-accent aria-disabled:hover:bg-accent',
  secondary:
    'border border-line-strong/50 bg-card text-ink hover:bg-sunken disabled:hover:bg-card aria-disabled:hover:bg-card',
  ghost: 'text-ink-soft hover:bg-sunken hover:text-ink',
  danger:
    'bg-danger text-accent-ink hover:bg-danger-hover disabled:hover:bg-danger aria-disabled:hover:bg-danger',
}

const SIZES = {
  sm: 'h-8 gap-1.5 px-3 text-sm',
  md: 'h-10 gap-2 px-4 text-sm',
  lg: 'h-12 gap-2 px-6 text-base',
  icon: 'size-9 shrink-0',
}

export type ButtonLook = { variant?: keyof typeof VARIANTS; size?: keyof typeof SIZES }

/** The look alone, for links. */
export const buttonClass = ({ variant = 'secondary', size = 'md' }: ButtonLook = {}) =>
  clsx(
    'inline-flex select-none items-center justify-center whitespace-nowrap rounded-md font-semibold',
    'transition-colors disabled:opacity-55 aria-disabled:opacity-55',
    VARIANTS[variant],
    SIZES[size],
  )

type ButtonProps = ComponentProps<'button'> &
  ButtonLook & {
    /**
     * The action is under way: a spinner, and no second press. Unlike a disabled button it keeps
     * the focus of the one who pressed it.
     */
    isPending?: boolean
  }

/** Also what Enter in a field of its form would send. */
const swallow = (event: MouseEvent) => {
  event.preventDefault()
  event.stopPropagation()
}

export function Button({
  variant,
  size,
  isPending = false,
  className,
  disabled = false,
  onClick,
  children,
  ...props
}: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      disabled={disabled && !isPending}
      onClick={isPending ? swallow : onClick}
      {...(isPending && { 'aria-disabled': true, 'aria-busy': true })}
      className={clsx(
        buttonClass({ ...(variant && { variant }), ...(size && { size }) }),
        className,
      )}
    >
      {isPending && <Spinner />}
      {children}
    </button>
  )
}

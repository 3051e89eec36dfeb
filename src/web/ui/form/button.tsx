import clsx from 'clsx'
import type { ComponentProps } from 'react'
import { Spinner } from '../indicator/spinner.tsx'

const VARIANTS = {
  /** The main action of a screen. */
  primary: 'bg-accent text-accent-ink usable:hover:bg-accent-hover',
  secondary: 'border border-line-strong/50 bg-card text-ink usable:hover:bg-sunken',
  ghost: 'text-ink-soft hover:bg-sunken hover:text-ink',
  danger: 'bg-danger text-accent-ink usable:hover:bg-danger-hover',
}

const SIZES = {
  sm: 'h-8 gap-1.5 px-3 text-sm',
  md: 'h-10 gap-2 px-4 text-sm',
  lg: 'h-12 gap-2 px-6 text-base',
  icon: 'size-9 shrink-0',
}

export type ButtonLook = {
  variant?: keyof typeof VARIANTS | undefined
  size?: keyof typeof SIZES | undefined
}

/** The look alone, for links. */
export const buttonClass = ({ variant = 'secondary', size = 'md' }: ButtonLook = {}) =>
  clsx(
    'inline-flex select-none items-center justify-center whitespace-nowrap rounded-md font-semibold',
    'transition-colors unusable:opacity-55',
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

export function Button({
  variant,
  size,
  isPending,
  className,
  disabled,
  onClick,
  children,
  ...props
}: ButtonProps) {
  return (
    <button
      type="button"
      aria-disabled={isPending}
      aria-busy={isPending}
      {...props}
      disabled={disabled && !isPending}
      // Nor does Enter in a field send the form: it presses this button.
      onClick={isPending ? (event) => event.preventDefault() : onClick}
      className={clsx(buttonClass({ variant, size }), className)}
    >
      {isPending && <Spinner />}
      {children}
    </button>
  )
}

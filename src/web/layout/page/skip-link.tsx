import { buttonClass } from '../../ui/form/button.tsx'

export function SkipLink() {
  return (
    <a
      href="#main"
      className={`${buttonClass({ variant: 'primary' })} fixed top-2 left-2 z-60 not-focus:sr-only`}
    >
      Skip to content
    </a>
  )
}

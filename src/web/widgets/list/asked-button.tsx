import { type ReactNode, Suspense, useState } from 'react'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'

const Confirm = lazyPage(() => import('../../ui/overlay/confirm.tsx'), 'Confirm')

type AskedButtonProps = {
  /** What is done to it, such as Remove. */
  verb: string
  name: string
  isDisabled: boolean
  isPending: boolean
  act: () => Promise<{ ok: boolean }>
  /** What follows from it. */
  children: ReactNode
}

/** The button of a row that ends something for good: it asks first, and stays open if that fails. */
export function AskedButton({ verb, name, act, children, ...state }: AskedButtonProps) {
  const [isAsking, setAsking] = useState(false)
  async function confirm() {
    const { ok } = await act()
    if (ok) setAsking(false)
  }
  return (
    <>
      <Button
        size="sm"
        disabled={state.isDisabled}
        aria-label={`${verb} ${name}`}
        onClick={() => setAsking(true)}
      >
        {verb}
      </Button>
      {isAsking && (
        <Suspense>
          <Confirm
            isOpen
            onClose={() => setAsking(false)}
            title={`${verb} ${name}?`}
            action={verb}
            isDangerous
            onConfirm={() => void confirm()}
            isPending={state.isPending}
          >
            {children}
          </Confirm>
        </Suspense>
      )}
    </>
  )
}

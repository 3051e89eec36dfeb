import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/form/button.tsx'

const FEW = 8

type FirstFewProps<T> = { items: readonly T[]; children: (items: readonly T[]) => ReactNode }

/** The beginning of a list in a card; the rest on request. */
export function FirstFew<T>({ items, children }: FirstFewProps<T>) {
  const [isWhole, setWhole] = useState(false)
  // One more line is shorter than the button that would hide it.
  const isShort = items.length <= FEW + 1
  return (
    <>
      {children(isWhole || isShort ? items : items.slice(0, FEW))}
      {!isShort && !isWhole && (
        <div className="border-t p-2">
          <Button variant="ghost" size="sm" className="w-full" onClick={() => setWhole(true)}>
            Show all {items.length}
          </Button>
        </div>
      )}
    </>
  )
}

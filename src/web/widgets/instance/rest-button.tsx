import { ChevronDown } from 'lucide-react'
import { Button } from '../../ui/form/button.tsx'

/** With more servers than this, cards begin closed: six of them fit on a screen. */
const OPEN_UP_TO = 2

/** Whether the cards of a list begin with everything shown. */
export const beginsOpen = (cards: number): boolean => cards <= OPEN_UP_TO

type RestButtonProps = {
  name: string
  isOpen: boolean
  panelId: string
  onToggle: () => void
}

/** Opens and closes what a card does not show at first. */
export function RestButton({ name, isOpen, panelId, onToggle }: RestButtonProps) {
  const word = isOpen ? 'Less' : 'More'
  return (
    <Button
      size="sm"
      variant="ghost"
      className="max-sm:px-2"
      aria-label={`${word} about ${name}`}
      aria-expanded={isOpen}
      aria-controls={panelId}
      onClick={onToggle}
    >
      {word}
      <ChevronDown aria-hidden="true" className={isOpen ? 'size-3.5 rotate-180' : 'size-3.5'} />
    </Button>
  )
}

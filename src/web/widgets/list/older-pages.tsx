import { Button } from '../../ui/form/button.tsx'

type OlderPagesProps = {
  label: string
  isFirst: boolean
  /** Where the next page begins; null at the end. */
  older: number | null
  onShow: (before: number | undefined) => void
}

/** The way through a list that is read page by page, newest first. */
export function OlderPages({ label, isFirst, older, onShow }: OlderPagesProps) {
  if (isFirst && older === null) return null
  return (
    <nav aria-label={label} className="flex justify-between gap-2 border-t px-5 py-3">
      <Button size="sm" disabled={isFirst} onClick={() => onShow(undefined)}>
        Newest
      </Button>
      <Button size="sm" disabled={older === null} onClick={() => onShow(older ?? undefined)}>
        Older
      </Button>
    </nav>
  )
}

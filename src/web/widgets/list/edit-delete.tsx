import { Pencil, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/form/button.tsx'

type EditDeleteProps = {
  name: string
  onEdit: () => void
  onDelete: () => void
  /** Further buttons between the two. */
  children?: ReactNode
}

/** The buttons of something that an operator keeps a list of. */
export const EditDelete = ({ name, onEdit, onDelete, children }: EditDeleteProps) => (
  <div className="flex gap-1">
    <Button size="sm" aria-label={`Edit ${name}`} onClick={onEdit}>
      <Pencil aria-hidden="true" className="size-3.5" />
      Edit
    </Button>
    {children}
    <Button
      variant="ghost"
      size="icon"
      className="-my-0.5"
      title="Delete"
      aria-label={`Delete ${name}`}
      onClick={onDelete}
    >
      <Trash2 aria-hidden="true" className="size-4" />
    </Button>
  </div>
)

import { CopyPlus, Ellipsis, History, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Token } from '#shared/api/tokens.ts'
import { Button } from '../../ui/button.tsx'
import { DropdownMenu, MenuItem, MenuSeparator } from '../../ui/dropdown-menu.tsx'
import { TokenTimelineDialog } from '../../widgets/token-timeline-dialog.tsx'
import { DuplicateTokenDialog } from './create-token-dialog.tsx'
import { DeleteTokenDialog } from './delete-token-dialog.tsx'
import { EditTokenDialog } from './edit-token-dialog.tsx'

export function TokenActions({ token }: { token: Token }) {
  const [open, setOpen] = useState<'edit' | 'duplicate' | 'history' | 'delete'>()
  const props = { token, onClose: () => setOpen(undefined) }
  return (
    <div className="flex justify-end gap-1">
      <Button size="sm" aria-label={`Edit ${token.name}`} onClick={() => setOpen('edit')}>
        <Pencil aria-hidden="true" className="size-3.5" />
        Edit
      </Button>
      <DropdownMenu
        trigger={
          <Button
            variant="ghost"
            size="icon"
            className="-my-0.5"
            aria-label={`More for ${token.name}`}
          >
            <Ellipsis aria-hidden="true" className="size-4" />
          </Button>
        }
      >
        <MenuItem icon={<CopyPlus />} onSelect={() => setOpen('duplicate')}>
          Duplicate
        </MenuItem>
        <MenuItem icon={<History />} onSelect={() => setOpen('history')}>
          History
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<Trash2 />} isDangerous onSelect={() => setOpen('delete')}>
          Delete
        </MenuItem>
      </DropdownMenu>
      {open === 'edit' && <EditTokenDialog {...props} />}
      {open === 'duplicate' && <DuplicateTokenDialog {...props} />}
      {open === 'history' && <TokenTimelineDialog {...props} />}
      {open === 'delete' && <DeleteTokenDialog {...props} />}
    </div>
  )
}

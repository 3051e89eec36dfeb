import { CopyPlus, History, Pencil, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Token } from '#shared/api/tokens.ts'
import { lazyPage } from '../../lib/lazy-page.ts'
import { Button } from '../../ui/button.tsx'
import { MenuItem, MenuSeparator } from '../../ui/dropdown-menu.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import type { OpenRowDialog } from './token-row-dialogs.tsx'

// The forms bring the schemas along; the list does without them.
const TokenRowDialog = lazyPage(() => import('./token-row-dialogs.tsx'), 'TokenRowDialog')

export function TokenActions({ token }: { token: Token }) {
  const [open, setOpen] = useState<OpenRowDialog>()
  return (
    <div className="flex justify-end gap-1">
      <Button size="sm" aria-label={`Edit ${token.name}`} onClick={() => setOpen('edit')}>
        <Pencil aria-hidden="true" className="size-3.5" />
        Edit
      </Button>
      <RowMenu of={token.name}>
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
      </RowMenu>
      {open && (
        <Suspense>
          <TokenRowDialog open={open} token={token} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </div>
  )
}

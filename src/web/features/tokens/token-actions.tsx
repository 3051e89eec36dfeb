import { CopyPlus, Eye, History, Pencil, PowerOff, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Token } from '#shared/api/shop/tokens.ts'
import { editRefusal } from '#shared/rules/token/token-status.ts'
import { useMay } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'
import { MenuItem, MenuSeparator } from '../../ui/menu/dropdown-menu.tsx'
import { RowMenu } from '../../ui/menu/row-menu.tsx'
import type { OpenRowDialog } from './dialogs/token-row-dialogs.tsx'

// The forms load the schemas; the list does not need them.
const TokenRowDialog = lazyPage(() => import('./dialogs/token-row-dialogs.tsx'), 'TokenRowDialog')

export function TokenActions({ token }: { token: Token }) {
  const [open, setOpen] = useState<OpenRowDialog>()
  const mayRun = useMay('run')
  const cannotEdit = editRefusal(token.status)
  return (
    <div className="flex justify-end gap-1">
      {mayRun && (
        <Button
          size="sm"
          aria-label={`Edit ${token.name}`}
          disabled={cannotEdit !== undefined}
          title={cannotEdit}
          onClick={() => setOpen('edit')}
        >
          <Pencil aria-hidden="true" className="size-3.5" />
          Edit
        </Button>
      )}
      <RowMenu of={token.name}>
        {mayRun && (
          <MenuItem icon={<CopyPlus />} onSelect={() => setOpen('duplicate')}>
            Duplicate
          </MenuItem>
        )}
        {mayRun && token.status !== 'pending' && (
          <MenuItem icon={<Eye />} onSelect={() => setOpen('reveal')}>
            Reveal login
          </MenuItem>
        )}
        <MenuItem icon={<History />} onSelect={() => setOpen('history')}>
          History
        </MenuItem>
        {mayRun && <MenuSeparator />}
        {mayRun &&
          (token.assignedInstanceId === null ? (
            <MenuItem
              icon={<Trash2 />}
              isDangerous
              refusal={
                token.status === 'pending' ? 'A client waits for it: cancel its order.' : undefined
              }
              onSelect={() => setOpen('delete')}
            >
              Delete
            </MenuItem>
          ) : (
            <MenuItem icon={<PowerOff />} isDangerous onSelect={() => setOpen('end')}>
              End server
            </MenuItem>
          ))}
      </RowMenu>
      {open && (
        <Suspense>
          <TokenRowDialog open={open} token={token} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </div>
  )
}

import { Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../form/button.tsx'
import { DropdownMenu } from './dropdown-menu.tsx'

/** Further actions on a row, at its end. */
export function RowMenu({ of, children }: { of: string; children: ReactNode }) {
  return (
    <DropdownMenu
      trigger={
        <Button variant="ghost" size="icon" className="-my-0.5" aria-label={`More for ${of}`}>
          <Ellipsis aria-hidden="true" className="size-4" />
        </Button>
      }
    >
      {children}
    </DropdownMenu>
  )
}

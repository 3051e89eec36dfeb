import { type ReactNode, Suspense, useState } from 'react'
import { lazyPage } from '../../lib/browser/lazy-page.ts'

const ChangelogDialog = lazyPage(() => import('./changelog-dialog.tsx'), 'ChangelogDialog')

/** Few users read the changelog: its dialog is loaded when opened. */
export function ChangelogOpener({ children }: { children: (open: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {children(() => setOpen(true))}
      {isOpen && (
        <Suspense>
          <ChangelogDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

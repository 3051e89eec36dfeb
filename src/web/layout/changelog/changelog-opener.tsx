import { lazy, type ReactNode, Suspense, useState } from 'react'

const ChangelogDialog = lazy(async () => ({
  default: (await import('./changelog-dialog.tsx')).ChangelogDialog,
}))

/** Few people read a changelog: its dialog is fetched when somebody does. */
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

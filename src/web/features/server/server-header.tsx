import { Suspense, useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { useMay, useMe } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'
import { ConsoleButton } from '../../widgets/console/console-button.tsx'
import { StatusBadge } from '../../widgets/instance/status-badge.tsx'
import { PowerButtons } from '../../widgets/power/power-buttons.tsx'

// Only operators have it, and it comes with its dialogs.
const SuspendButton = lazyPage(
  () => import('../../widgets/instance/suspend-button.tsx'),
  'SuspendButton',
)
const LabelDialog = lazyPage(() => import('./dialogs/name-dialogs.tsx'), 'LabelDialog')

const ACTS = ['start', 'restart', 'shutdown', 'stop'] as const

/** What it is called, how it is, and what is pressed most often. */
export function ServerHeader({ server }: { server: Server }) {
  const { isSimulated = false } = useMe()
  const mayRename = useMay('run') && !isSimulated
  const [isNaming, setNaming] = useState(false)
  const { operator, label, term, can } = server
  // The fields that the buttons of the lists take; only the label is shown.
  const instance = { ...server, vmId: operator?.vmId ?? 0 }
  const isEnded = term === 'cancelled'
  return (
    <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 px-5 py-4 not-last:border-b">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="min-w-0 break-words text-lg">{label}</h2>
        {mayRename && !isEnded && (
          <Button
            variant="ghost"
            size="sm"
            className="-mx-2"
            aria-label={`Rename ${label}`}
            onClick={() => setNaming(true)}
          >
            Rename
          </Button>
        )}
        <StatusBadge status={server.status} />
      </div>
      {!isEnded && (
        <div className="flex flex-wrap gap-2">
          <PowerButtons
            instance={instance}
            acts={ACTS}
            audience={operator ? 'admin' : 'client'}
            hasText
          />
          <ConsoleButton instance={{ ...instance, name: label }} hasText />
          {operator && (can.suspend.allowed || can.resume.allowed) && (
            <Suspense>
              <SuspendButton instance={{ ...instance, name: label }} hasText />
            </Suspense>
          )}
        </div>
      )}
      {isNaming && (
        <Suspense>
          <LabelDialog server={server} onClose={() => setNaming(false)} />
        </Suspense>
      )}
    </header>
  )
}

import { Suspense, useId, useState } from 'react'
import { Link } from 'wouter'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { expiryOf, offersRenewal } from '#shared/rules/token/token-expiry.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { connectionOf } from '../../lib/instance/connect.ts'
import { serverPath } from '../../lib/paths/paths.ts'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { ConnectLine } from '../../widgets/instance/connect-line.tsx'
import { EndOwnServer } from '../../widgets/instance/end-own-server.tsx'
import { RestButton } from '../../widgets/instance/rest-button.tsx'
import { Countdown } from '../../widgets/time/countdown.tsx'
import { DaysLeftBadge, TokenBadge } from '../../widgets/token/token-badge.tsx'
import { TimeLeft } from './time-left.tsx'
import { isEndingSoon } from './token-look.ts'
import { VpsConsole } from './vps-console.tsx'
import type { OpenDialog } from './vps-dialogs.tsx'
import { VpsFacts } from './vps-facts.tsx'
import { VpsNotice } from './vps-notice.tsx'

const VpsDialog = lazyPage(() => import('./vps-dialogs.tsx'), 'VpsDialog')

type VpsCardProps = {
  token: ClientToken
  now: number
  isSimulated: boolean
  /** Whether everything is shown at first, not only what matters most. */
  isOpenAtFirst: boolean
}

/** The identity of a server: its state, how to sign in, how long it is the client's. */
export function VpsCard({ token, now, isSimulated, isOpenAtFirst }: VpsCardProps) {
  const panelId = useId()
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const [dialog, setDialog] = useState<OpenDialog>()
  const connection = token.status === 'assigned' ? connectionOf(token) : undefined
  const canRenew = offersRenewal(token, new Date(now)) && !isSimulated
  return (
    <article aria-label={token.label} className="rounded-md border bg-card">
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-5 pt-3">
        <h3 className="min-w-0 break-words text-base leading-6">
          <Title token={token} />
        </h3>
        <div className="flex flex-wrap items-center gap-2">
          {!isOpen && <ShortTime token={token} now={now} />}
          {token.status === 'assigned' && <DaysLeftBadge token={token} now={now} />}
          <TokenBadge status={token.status} />
        </div>
      </header>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-5 pt-2 pb-3">
        {connection ? <ConnectLine connection={connection} /> : <span />}
        <div className="flex flex-wrap items-center justify-end gap-2 max-sm:-mx-2">
          <RestButton
            name={token.label}
            isOpen={isOpen}
            panelId={panelId}
            onToggle={() => setOpen(!isOpen)}
          />
          {canRenew && token.status === 'assigned' && !isEndingSoon(token, now) && (
            <Button
              size="sm"
              variant="ghost"
              className="max-sm:px-2"
              aria-label={`Renew ${token.label}`}
              onClick={() => setDialog('renew')}
            >
              Renew
            </Button>
          )}
          {token.status === 'assigned' && <VpsConsole token={token} />}
          {token.assignedInstanceId !== null && (
            <Link
              href={serverPath(token.assignedInstanceId)}
              aria-label={`Power and usage of ${token.label}`}
              className={buttonClass({ size: 'sm' })}
            >
              Power and usage
            </Link>
          )}
        </div>
      </div>
      <div className="border-t empty:hidden">
        <VpsNotice
          token={token}
          now={now}
          {...(canRenew && { onRenew: () => setDialog('renew') })}
        />
      </div>
      <div id={panelId}>
        {isOpen && (
          <>
            <div className="grid border-t lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] lg:divide-x">
              <VpsFacts token={token} isSimulated={isSimulated} />
              <TimeLeft token={token} now={now} />
            </div>
            <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-2">
              <Button
                size="sm"
                variant="ghost"
                className="max-sm:px-2"
                aria-label={`History of ${token.label}`}
                onClick={() => setDialog('history')}
              >
                History
              </Button>
              <EndOwnServer token={token} isSimulated={isSimulated} />
            </footer>
          </>
        )}
      </div>
      {dialog && (
        <Suspense>
          <VpsDialog open={dialog} token={token} now={now} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
    </article>
  )
}

/** Leads to the server's page, once there is one. */
function Title({ token }: { token: ClientToken }) {
  if (token.assignedInstanceId === null) return token.label
  return (
    <Link href={serverPath(token.assignedInstanceId)} className="hover:underline">
      {token.label}
    </Link>
  )
}

/** In a closed card: what is left, in the head. */
function ShortTime({ token, now }: { token: ClientToken; now: number }) {
  const end = expiryOf(token)
  if (token.status !== 'assigned' || !end) return null
  return <Countdown until={end.getTime()} now={now} className="text-ink-soft" />
}

import { Suspense, useState } from 'react'
import { Link } from 'wouter'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { offersRenewal } from '#shared/rules/token/token-expiry.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { connectionOf } from '../../lib/instance/connect.ts'
import { paths } from '../../lib/paths/paths.ts'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Copy } from '../../widgets/facts/copy.tsx'
import { EndOwnServer } from '../../widgets/instance/end-own-server.tsx'
import { DaysLeftBadge, TokenBadge } from '../../widgets/token/token-badge.tsx'
import { TimeLeft } from './time-left.tsx'
import { isEndingSoon } from './token-look.ts'
import { VpsConsole } from './vps-console.tsx'
import type { OpenDialog } from './vps-dialogs.tsx'
import { VpsFacts } from './vps-facts.tsx'
import { VpsNotice } from './vps-notice.tsx'

const VpsDialog = lazyPage(() => import('./vps-dialogs.tsx'), 'VpsDialog')

type VpsCardProps = { token: ClientToken; now: number; isSimulated: boolean }

/** The identity of a server: its state, how to sign in, how long it is the client's. */
export function VpsCard({ token, now, isSimulated }: VpsCardProps) {
  const [open, setOpen] = useState<OpenDialog>()
  const canRenew = offersRenewal(token, new Date(now)) && !isSimulated
  return (
    <article aria-label={token.name} className="rounded-md border bg-card">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 border-b px-5 py-4">
        <h3 className="min-w-0 break-words text-base leading-6">{token.name}</h3>
        <div className="flex flex-wrap items-center gap-2">
          {token.status === 'assigned' && <DaysLeftBadge token={token} now={now} />}
          <TokenBadge status={token.status} />
        </div>
      </header>
      <VpsNotice token={token} now={now} {...(canRenew && { onRenew: () => setOpen('renew') })} />
      {token.status === 'assigned' && <ConnectLine token={token} />}
      <div className="grid lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] lg:divide-x">
        <VpsFacts token={token} isSimulated={isSimulated} />
        <TimeLeft token={token} now={now} />
      </div>
      <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">
        <Button
          size="sm"
          variant="ghost"
          className="max-sm:px-2"
          aria-label={`History of ${token.name}`}
          onClick={() => setOpen('history')}
        >
          History
        </Button>
        {canRenew && token.status === 'assigned' && !isEndingSoon(token, now) && (
          <Button
            size="sm"
            variant="ghost"
            className="max-sm:px-2"
            aria-label={`Renew ${token.name}`}
            onClick={() => setOpen('renew')}
          >
            Renew
          </Button>
        )}
        <EndOwnServer token={token} isSimulated={isSimulated} />
        {token.status === 'assigned' && <VpsConsole token={token} />}
        {token.status === 'assigned' && (
          <Link
            href={paths.myInstances}
            aria-label={`Power and usage of ${token.name}`}
            className={buttonClass({ size: 'sm' })}
          >
            Power and usage
          </Link>
        )}
      </footer>
      {open && (
        <Suspense>
          <VpsDialog open={open} token={token} now={now} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </article>
  )
}

function ConnectLine({ token }: { token: ClientToken }) {
  const connection = connectionOf(token)
  if (!connection) return null
  return (
    <div className="border-b px-5 py-4">
      <p className="mb-1.5 text-ink-soft text-xs">Connect by {connection.how}</p>
      <div className="flex items-center justify-between gap-3 rounded-sm bg-screen py-1 pr-1 pl-4 text-screen-ink">
        <code className="min-w-0 break-all font-mono">{connection.text}</code>
        <Copy
          value={connection.text}
          label={`Copy ${connection.text}`}
          className="text-screen-soft [&_svg]:text-screen-ink hover:bg-screen! hover:text-screen-ink! focus-visible:outline-screen-ink"
        />
      </div>
    </div>
  )
}

import { Suspense, useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { lazyPage } from '../../../lib/browser/lazy-page.ts'
import { Button } from '../../../ui/form/button.tsx'
import { useServerNow } from '../../../widgets/time/use-server-now.ts'
import { HandOverButton } from './hand-over-button.tsx'

const RenewDialog = lazyPage(
  () => import('../../../widgets/billing/renew-dialog.tsx'),
  'RenewDialog',
)
const PaymentLinkDialog = lazyPage(
  () => import('../../../widgets/billing/payment-link-dialog.tsx'),
  'PaymentLinkDialog',
)
const EndServerDialog = lazyPage(
  () => import('../../../widgets/instance/end-server-dialog.tsx'),
  'EndServerDialog',
)

const ChangePackageDialog = lazyPage(
  () => import('../../../widgets/package-change/change-package-dialog.tsx'),
  'ChangePackageDialog',
)

/** What is done with its time: hand it on, end it, pay for more. */
export function TermActions({ server }: { server: Server }) {
  const now = useServerNow(60_000)
  const [open, setOpen] = useState<'renew' | 'end' | 'link' | 'package'>()
  const { id, label, can, operator, tokenId, durationDays, monthlyPrice, paidUntil } = server
  const close = () => setOpen(undefined)
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 px-5 py-3">
      <div className="-ml-3 flex flex-wrap">
        {can.end.allowed && (
          <Button
            size="sm"
            variant="ghost"
            aria-label={`End server ${label}`}
            onClick={() => setOpen('end')}
          >
            End server
          </Button>
        )}
        {!operator && <HandOverButton server={server} />}
        {!operator && (
          <Button
            size="sm"
            variant="ghost"
            disabled={!can.changePackage.allowed || server.nextPackage !== null}
            title={can.changePackage.why ?? 'Change package'}
            aria-label={`Change package of ${label}`}
            onClick={() => setOpen('package')}
          >
            Change package
          </Button>
        )}
        {!operator && tokenId !== null && Number(monthlyPrice) > 0 && (
          <Button
            size="sm"
            variant="ghost"
            aria-label={`Payment link of ${label}`}
            onClick={() => setOpen('link')}
          >
            Payment link
          </Button>
        )}
      </div>
      {!operator && (
        <Button
          size="sm"
          className="ml-auto"
          variant={can.renew.allowed ? 'primary' : 'secondary'}
          disabled={!can.renew.allowed}
          title={can.renew.why ?? 'Renew'}
          aria-label={`Renew ${label}`}
          onClick={() => setOpen('renew')}
        >
          Renew
        </Button>
      )}
      <Suspense>
        {open === 'end' && (
          <EndServerDialog
            instance={{ id, name: label }}
            audience={operator ? 'operator' : 'owner'}
            onClose={close}
          />
        )}
        {open === 'package' && <ChangePackageDialog server={server} onClose={close} />}
        {open === 'link' && tokenId !== null && (
          <PaymentLinkDialog token={{ id: tokenId, label }} onClose={close} />
        )}
        {open === 'renew' && tokenId !== null && durationDays !== null && monthlyPrice !== null && (
          <RenewDialog
            token={{ id: tokenId, name: label, durationDays, monthlyPrice, expiresAt: paidUntil }}
            now={now}
            onClose={close}
          />
        )}
      </Suspense>
    </div>
  )
}

import { Suspense, useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { daysBegun } from '#shared/rules/time/durations.ts'
import { warningDays } from '#shared/rules/token/token-expiry.ts'
import { useMe } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { priceText } from '../../lib/format/price.ts'
import { exactTime } from '../../lib/format/time.ts'
import { daysText, fractionLeft } from '../../lib/format/time-words.ts'
import { Button } from '../../ui/form/button.tsx'
import { Progress } from '../../ui/indicator/progress.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import { Countdown } from '../../widgets/time/countdown.tsx'
import { useServerNow } from '../../widgets/time/use-server-now.ts'

const RenewDialog = lazyPage(() => import('../../widgets/billing/renew-dialog.tsx'), 'RenewDialog')
const EndServerDialog = lazyPage(
  () => import('../../widgets/instance/end-server-dialog.tsx'),
  'EndServerDialog',
)

/** How long its client has the server, and at what price. */
export function TermCard({ server }: { server: Server }) {
  const { term, durationDays, monthlyPrice, paidUntil } = server
  return (
    <Card>
      <CardHeader title="Time" />
      {term === 'assigned' && paidUntil && durationDays && (
        <Running label={server.label} until={paidUntil} days={durationDays} />
      )}
      <Facts className="px-5">
        {paidUntil && (
          <Fact term={term === 'assigned' ? 'Paid until' : 'Was paid until'}>
            <time dateTime={paidUntil}>{exactTime(new Date(paidUntil))}</time>
          </Fact>
        )}
        {durationDays !== null && <Fact term="Duration">{daysText(durationDays)}</Fact>}
        {monthlyPrice !== null && (
          <Fact term="Price">
            <span className="tabular">
              {Number(monthlyPrice) === 0 ? 'Free trial' : priceText(monthlyPrice)}
            </span>
          </Fact>
        )}
      </Facts>
      <TermActions server={server} />
    </Card>
  )
}

function Running({ label, until, days }: { label: string; until: string; days: number }) {
  const now = useServerNow(1000)
  const end = Date.parse(until)
  const isNear = daysBegun(end - now) <= warningDays(days)
  return (
    <div className="border-b px-5 py-5">
      <p className="mb-1 text-ink-soft">Time left</p>
      <p className="mb-3">
        <Countdown until={end} now={now} className="font-semibold text-lg" />
      </p>
      <Progress
        value={fractionLeft(end - now, days)}
        label={`Time left of ${label}`}
        tone={isNear ? 'bad' : 'idle'}
      />
    </div>
  )
}

function TermActions({ server }: { server: Server }) {
  const { isSimulated = false } = useMe()
  const now = useServerNow(60_000)
  const [open, setOpen] = useState<'renew' | 'end'>()
  const { id, label, can, operator, tokenId, durationDays, monthlyPrice, paidUntil } = server
  const close = () => setOpen(undefined)
  if (isSimulated || (!can.renew.allowed && !can.end.allowed)) return null
  return (
    <footer className="flex flex-wrap items-center justify-between gap-2 border-t px-5 py-3">
      {can.end.allowed && (
        <Button
          size="sm"
          variant="ghost"
          className="-ml-3"
          aria-label={`End server ${label}`}
          onClick={() => setOpen('end')}
        >
          End server
        </Button>
      )}
      {!operator && (
        <Button
          size="sm"
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
        {open === 'renew' && tokenId !== null && durationDays !== null && monthlyPrice !== null && (
          <RenewDialog
            token={{ id: tokenId, name: label, durationDays, monthlyPrice, expiresAt: paidUntil }}
            now={now}
            onClose={close}
          />
        )}
      </Suspense>
    </footer>
  )
}

import type { Server } from '#shared/api/overview/servers.ts'
import { daysBegun } from '#shared/rules/time/durations.ts'
import { warningDays } from '#shared/rules/token/token-expiry.ts'
import { useMe } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { priceText } from '../../lib/format/price.ts'
import { exactTime } from '../../lib/format/time.ts'
import { daysText, fractionLeft } from '../../lib/format/time-words.ts'
import { Later } from '../../ui/indicator/later.tsx'
import { Progress } from '../../ui/indicator/progress.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import { Countdown } from '../../widgets/time/countdown.tsx'
import { useServerNow } from '../../widgets/time/use-server-now.ts'

const TermActions = lazyPage(() => import('./term/term-actions.tsx'), 'TermActions')

const PlannedPackage = lazyPage(
  () => import('../../widgets/package-change/planned-package.tsx'),
  'PlannedPackage',
)

/** How long its client has the server, and at what price. */
export function TermCard({ server }: { server: Server }) {
  const { isSimulated = false } = useMe()
  const { term, durationDays, monthlyPrice, paidUntil, can } = server
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
          <Fact term={server.nextPackage ? 'Next price' : 'Price'}>
            <span className="tabular">
              {Number(monthlyPrice) === 0 ? 'Free trial' : priceText(monthlyPrice)}
            </span>
          </Fact>
        )}
      </Facts>
      {server.nextPackage && (
        <Later className="m-3 h-8">
          <PlannedPackage server={server} next={server.nextPackage} />
        </Later>
      )}
      {!isSimulated && (can.renew.allowed || can.end.allowed) && (
        <footer className="min-h-14.25 border-t">
          <Later className="m-3 h-8">
            <TermActions server={server} />
          </Later>
        </footer>
      )}
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

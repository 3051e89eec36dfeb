import { Ban, CalendarClock, CircleAlert, CirclePause, Hourglass } from 'lucide-react'
import { Suspense } from 'react'
import { Link } from 'wouter'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { daysLeft } from '#shared/rules/token/token-expiry.ts'
import { isFree } from '#shared/rules/token/token-offer.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { afterGrace, keptThenDeleted } from '../../lib/format/grace-words.ts'
import { exactTime } from '../../lib/format/time.ts'
import { daysLeftText } from '../../lib/format/time-words.ts'
import { paths } from '../../lib/paths/paths.ts'
import { Notice } from '../../ui/feedback/notice.tsx'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { isUnderWay } from '../../widgets/jobs/job-stages.ts'
import { LazyJob } from '../../widgets/jobs/lazy-job.tsx'
import { isEndingSoon } from './token-look.ts'

const PaysWhenItAnswers = lazyPage(
  () => import('../../widgets/jobs/pays-when-it-answers.tsx'),
  'PaysWhenItAnswers',
)

type VpsNoticeProps = {
  token: ClientToken
  now: number
  /** Present where the server can be renewed now. */
  onRenew?: () => void
}

/** The notice about a server, where there is one. */
export function VpsNotice({ token, now, onRenew }: VpsNoticeProps) {
  const { job, status } = token
  return (
    <>
      {job && isUnderWay(job) && (
        <div className="border-b px-5 py-5">
          <LazyJob job={job} {...(status === 'pending' && { makes: token.tokenType })} />
          {status === 'pending' && !isFree(token) && (
            <p className="mt-3 text-ink-soft">
              <Suspense>
                <PaysWhenItAnswers since={job.startedAt} />
              </Suspense>
            </p>
          )}
        </div>
      )}
      {job?.state === 'failed' && (
        <Notice tone="bad" icon={CircleAlert} title={failureTitle(token)}>
          {job.error ?? 'Something went wrong on our side.'} {failureAdvice(token)}
        </Notice>
      )}
      {status === 'pending' && !job && (
        <Notice
          tone="warn"
          icon={Hourglass}
          title="Waiting for the payment"
          action={
            <Link href={paths.billing} className={buttonClass({ variant: 'primary' })}>
              Pay or cancel
            </Link>
          }
        >
          The server is reserved for you for 30 minutes and made as soon as the payment has arrived.
        </Notice>
      )}
      {token.suspended && (
        <Notice tone="bad" icon={CirclePause} title="The operator has suspended this server">
          {token.suspended.reason} It is switched off and keeps everything on it. Contact the
          operator to have it resumed.
        </Notice>
      )}
      {status === 'assigned' && <EndsSoon token={token} now={now} {...(onRenew && { onRenew })} />}
      {status === 'expired' && (
        <Notice
          tone="bad"
          icon={CalendarClock}
          title="The time is over and the server is stopped"
          action={onRenew && <RenewButton name={token.label} onRenew={onRenew} />}
        >
          {onRenew && 'Renew it to get it back as it was. '}
          {deletion(token)}
        </Notice>
      )}
      {status === 'cancelled' && (
        <Notice tone="idle" icon={Ban} title="Cancelled">
          The server is stopped. {deletion(token)}
        </Notice>
      )}
    </>
  )
}

/** When an ended server is deleted. */
const deletion = ({ keptUntil }: ClientToken): string =>
  keptUntil === null
    ? `It is deleted with everything on it ${afterGrace}.`
    : `It is kept until ${exactTime(new Date(keptUntil))} and then deleted with everything on it.`

const failureTitle = ({ status }: ClientToken): string =>
  status === 'pending' ? 'The server could not be made' : 'Something could not be finished'

const failureAdvice = ({ status, monthlyPrice }: ClientToken): string => {
  if (status !== 'pending') return 'The provider sees it too and can try again.'
  return Number(monthlyPrice) === 0
    ? 'The provider sees it too and can try again.'
    : 'What you paid is not lost: the provider sees it too and can try again or pay you back.'
}

function EndsSoon({ token, now, onRenew }: VpsNoticeProps) {
  const days = daysLeft(token, new Date(now))
  if (days === undefined || !isEndingSoon(token, now)) return null
  return (
    <Notice
      tone="warn"
      icon={CalendarClock}
      title={days === 0 ? 'The time is over' : daysLeftText(days)}
      action={onRenew && <RenewButton name={token.label} onRenew={onRenew} />}
    >
      {isFree(token)
        ? 'A free trial cannot be renewed. Copy what you want to keep before it ends.'
        : `Renew it to keep it running. At zero it stops and ${keptThenDeleted}.`}
    </Notice>
  )
}

function RenewButton({ name, onRenew }: { name: string; onRenew: () => void }) {
  return (
    <Button variant="primary" aria-label={`Renew ${name}`} onClick={onRenew}>
      Renew
    </Button>
  )
}

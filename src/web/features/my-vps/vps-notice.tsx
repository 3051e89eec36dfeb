import { Ban, CalendarClock, CircleAlert, Hourglass } from 'lucide-react'
import { Link } from 'wouter'
import type { ClientToken } from '#shared/api/client.ts'
import { daysLeft, RENEWAL_DAYS } from '#shared/rules/token-expiry.ts'
import { isFree } from '#shared/rules/token-offer.ts'
import { isUnderWay } from '../../lib/job-stages.ts'
import { daysText } from '../../lib/time-words.ts'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { JobLine, JobStepper } from '../../widgets/job-stepper.tsx'
import { Notice } from './notice.tsx'

type VpsNoticeProps = {
  token: ClientToken
  now: number
  /** Present where it can be renewed now. */
  onRenew?: () => void
}

/** What is going on with a server, where something is. */
export function VpsNotice({ token, now, onRenew }: VpsNoticeProps) {
  const { job, status } = token
  return (
    <>
      {job && isUnderWay(job) && (
        <div className="border-b px-5 py-5">
          {status === 'pending' ? (
            <JobStepper job={job} tokenType={token.tokenType} />
          ) : (
            <JobLine job={job} />
          )}
        </div>
      )}
      {job?.state === 'failed' && (
        <Notice tone="bad" icon={CircleAlert} title={failureTitle(token)}>
          {job.error ?? 'Something went wrong on our side.'} {failureCure(token)}
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
      {status === 'assigned' && <EndsSoon token={token} now={now} {...(onRenew && { onRenew })} />}
      {status === 'expired' && (
        <Notice
          tone="bad"
          icon={CalendarClock}
          title="The time is over and the server is stopped"
          action={onRenew && <RenewButton name={token.name} onRenew={onRenew} />}
        >
          {onRenew
            ? 'It is kept for the grace period. Renew it to get it back as it was; after that it is deleted with everything on it.'
            : 'It is kept for the grace period and then deleted with everything on it.'}
        </Notice>
      )}
      {status === 'cancelled' && (
        <Notice tone="idle" icon={Ban} title="Cancelled">
          The server is stopped. It is deleted with everything on it after the grace period.
        </Notice>
      )}
    </>
  )
}

const failureTitle = ({ status }: ClientToken): string =>
  status === 'pending' ? 'The server could not be made' : 'Something could not be finished'

const failureCure = ({ status, monthlyPrice }: ClientToken): string => {
  if (status !== 'pending') return 'The provider sees it too and can try again.'
  return Number(monthlyPrice) === 0
    ? 'The provider sees it too and can try again.'
    : 'What you paid is not lost: the provider sees it too and can try again or pay you back.'
}

function EndsSoon({ token, now, onRenew }: VpsNoticeProps) {
  const days = daysLeft(token, new Date(now))
  if (days === undefined || days > RENEWAL_DAYS) return null
  return (
    <Notice
      tone="warn"
      icon={CalendarClock}
      title={days === 0 ? 'The time is over' : `${daysText(days)} or less left`}
      action={onRenew && <RenewButton name={token.name} onRenew={onRenew} />}
    >
      {isFree(token)
        ? 'A free trial cannot be renewed. Copy what you want to keep before it ends.'
        : 'Renew it to keep it running. At zero it is stopped and kept for the grace period.'}
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

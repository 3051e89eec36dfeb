import {
  ArchiveX,
  Ban,
  CalendarClock,
  CircleAlert,
  CirclePause,
  CloudOff,
  Disc3,
  Gauge,
  SearchX,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { mbitText } from '#shared/rules/network/traffic.ts'
import { exactTime } from '../../lib/format/time.ts'
import { daysText } from '../../lib/format/time-words.ts'
import { formatTraffic } from '../../lib/format/traffic.ts'
import { Notice } from '../../ui/feedback/notice.tsx'
import { isUnderWay } from '../../widgets/jobs/job-stages.ts'
import { LazyJob } from '../../widgets/jobs/lazy-job.tsx'
import { type NoticeKind, noticesOf } from './notices-of.ts'
import { TransferNotices } from './term/transfer-notices.tsx'

/** What its client can start again once it has failed; the rest is for the provider. */
const CLIENT_CAN_RETRY = [
  'password',
  'reinstall',
  'snapshot',
  'snapshot-delete',
  'rollback',
  'backup',
  'last-backup',
  'backup-delete',
  'restore',
  'insert-cd',
  'take-cd-out',
]
const PROVIDER_SEES = 'The provider sees it too and can try again.'

type OfServer = { server: Server }

/** What is being done with the server, and what is wrong with it. */
export const ServerNotices = ({ server }: OfServer) =>
  noticesOf(server).map((kind) => {
    const One = NOTICES[kind]
    return <One key={kind} server={server} />
  })

const NOTICES: Record<NoticeKind, (props: OfServer) => ReactNode> = {
  jobs: Jobs,
  cd: ({ server: { cd } }) => cd && <CdNotice cd={cd} />,
  transfer: TransferNotices,
  suspended: Suspended,
  ended: Ended,
  missing: Missing,
  unknown: Unknown,
  backup: WithoutBackup,
  traffic: TrafficNotice,
  failure: ({ server: { failure } }) => (
    <Notice tone="warn" icon={CircleAlert} title="The last power action failed">
      {failure}
    </Notice>
  ),
}

function Jobs({ server: { jobs, operator } }: OfServer) {
  return jobs.map((job) =>
    isUnderWay(job) ? (
      <div key={job.id} className="px-5 py-5 not-last:border-b">
        <LazyJob job={job} {...(job.kind === 'provision' && { makes: 'ip_mac' })} />
      </div>
    ) : (
      <Notice key={job.id} tone="bad" icon={CircleAlert} title={`${job.title}: not finished`}>
        {job.error ?? 'Something went wrong on our side.'}{' '}
        {!operator && !CLIENT_CAN_RETRY.includes(job.kind) && PROVIDER_SEES}
      </Notice>
    ),
  )
}

function Suspended({ server: { suspended, operator } }: OfServer) {
  return (
    <Notice tone="bad" icon={CirclePause} title="This server is suspended">
      {suspended?.reason} It is switched off and keeps everything on it.{' '}
      {!operator && 'Contact the operator to have it resumed.'}
    </Notice>
  )
}

function Missing({ server: { operator } }: OfServer) {
  return (
    <Notice tone="bad" icon={SearchX} title="The cluster no longer has this VM">
      {operator
        ? 'It was removed outside of Hushbox. It is never made again by itself.'
        : 'The operator has been told.'}
    </Notice>
  )
}

function Unknown({ server: { lastUpdated } }: OfServer) {
  return (
    <Notice tone="warn" icon={CloudOff} title="The state of this server is not known">
      Its cluster does not answer at the moment.{' '}
      {lastUpdated && `Last seen ${exactTime(new Date(lastUpdated))}.`} The server itself may run as
      usual.
    </Notice>
  )
}

function WithoutBackup({ server: { daysWithoutBackup: days } }: OfServer) {
  return (
    <Notice tone="warn" icon={ArchiveX} title={`No backup for ${daysText(days ?? 0)}`}>
      Make one on the tab Backups, or have them made by a schedule there.
    </Notice>
  )
}

function CdNotice({ cd }: { cd: NonNullable<Server['cd']> }) {
  return cd === 'rescue' ? (
    <Notice tone="warn" icon={Disc3} title="In rescue">
      It starts from the rescue system until you end that on the tab Rescue.
    </Notice>
  ) : (
    <Notice tone="idle" icon={Disc3} title="Booted from CD">
      It boots from its disk again at its next start. Take the CD out on the tab Rescue.
    </Notice>
  )
}

function TrafficNotice({ server: { traffic } }: OfServer) {
  const { level, usedBytes, quotaBytes, slowMbit, to } = traffic
  const used = `${formatTraffic(usedBytes)} of ${formatTraffic(quotaBytes ?? 0)} are used.`
  const end = exactTime(new Date(to))
  return level === 100 ? (
    <Notice tone="warn" icon={Gauge} title="The traffic of this period is used up">
      {used} The server is slowed to {mbitText(slowMbit)} at most until {end}. It is not switched
      off.
    </Notice>
  ) : (
    <Notice tone="idle" icon={Gauge} title="80 % of the traffic of this period is used">
      {used} If it is used up before {end}, the server is slowed to {mbitText(slowMbit)} until then.
      It is not switched off.
    </Notice>
  )
}

function Ended({ server: { term, keptUntil, can } }: OfServer) {
  const isExpired = term === 'expired'
  return (
    <Notice
      tone={isExpired ? 'bad' : 'idle'}
      icon={isExpired ? CalendarClock : Ban}
      title={isExpired ? 'The time is over and the server is stopped' : 'This server has ended'}
    >
      {can.renew.allowed && 'Renew it to get it back as it was. '}
      {keptUntil
        ? `It is kept until ${exactTime(new Date(keptUntil))} and then deleted with everything on it.`
        : 'It will be deleted with everything on it.'}
    </Notice>
  )
}

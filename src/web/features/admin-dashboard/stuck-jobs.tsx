import { Timer } from 'lucide-react'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { stuckBefore } from '#shared/rules/time/stuck-jobs.ts'
import { JobLine } from '../../widgets/jobs/job-stepper.tsx'
import { useJobs } from '../../widgets/jobs/use-jobs.ts'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { useServerNow } from '../../widgets/time/use-server-now.ts'

/** Jobs that take too long: their current step and what they wait for. */
export function StuckJobs({ message }: { message: string }) {
  const { running } = useJobs()
  const before = stuckBefore(new Date(useServerNow(MINUTE_MS))).getTime()
  const stuck = running.filter(({ startedAt }) => Date.parse(startedAt) < before)
  return (
    <li className="px-5 py-3">
      <p className="flex items-center gap-3">
        <Timer aria-hidden="true" className="size-4 shrink-0 text-warn" />
        {message}
      </p>
      {stuck.length > 0 && (
        <ul className="mt-2 space-y-3 pl-7">
          {stuck.map((job) => (
            <li key={job.id}>
              <JobLine job={job} />
              <p className="mt-1 break-words text-ink-soft text-xs">
                Started <RelativeTime at={job.startedAt} />.{job.error && ` ${job.error}`}
              </p>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

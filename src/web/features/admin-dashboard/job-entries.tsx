import { CircleX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Job } from '#shared/api/overview/dashboard.ts'
import { useMay } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { RetryButton } from '../../widgets/jobs/retry-button.tsx'
import { useJobs } from '../../widgets/jobs/use-jobs.ts'

/** Why jobs failed, with a button to run each again. */
export function FailedJobs({ message }: { message: string }) {
  const { failed } = useJobs()
  return <JobEntries message={message} jobs={failed} action={(job) => <RetryButton job={job} />} />
}

/**
 * Failed sales that cannot be cleaned up: what blocks them, with a button to release the client.
 */
export function NotUndoneJobs({ message }: { message: string }) {
  const { running } = useJobs()
  const stuck = running.filter(({ isStuck }) => isStuck)
  return <JobEntries message={message} jobs={stuck} action={(job) => <GiveUpButton job={job} />} />
}

type JobEntriesProps = {
  message: string
  jobs: readonly Job[]
  action: (job: Job) => ReactNode
}

function JobEntries({ message, jobs, action }: JobEntriesProps) {
  return (
    <li className="px-5 py-3">
      <p className="flex items-center gap-3">
        <CircleX aria-hidden="true" className="size-4 shrink-0 text-bad" />
        {message}
      </p>
      {jobs.length > 0 && (
        <ul className="mt-2 space-y-3 pl-7">
          {jobs.map((job) => (
            <li key={job.id} className="flex items-start justify-between gap-4">
              <div className="min-w-0">
                <p className="break-words font-semibold">{job.title}</p>
                <p className="break-words text-ink-soft">
                  {job.error ?? 'Something went wrong on our side.'}
                </p>
              </div>
              {action(job)}
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

function GiveUpButton({ job }: { job: Job }) {
  const [isAsking, setAsking] = useState(false)
  const giveUp = useAction(api.jobs.giveUp, {
    done: { title: 'Given up', description: job.title },
    failed: 'It could not be given up',
    refresh: [api.jobs.list, api.dashboard.attention],
  })
  const confirm = async () => {
    const { ok } = await giveUp.run({ params: { id: job.id } })
    if (ok) setAsking(false)
  }
  const mayGiveUp = useMay('run')
  if (!mayGiveUp) return null
  return (
    <>
      <Button size="sm" aria-label={`Give up: ${job.title}`} onClick={() => setAsking(true)}>
        Give up
      </Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Give up cleaning up?"
        action="Give up"
        isDangerous
        onConfirm={() => void confirm()}
        isPending={giveUp.isPending}
      >
        The order goes back to Paid, and you can refund it or provision it again under Orders. Its
        token leaves the market, because its address may still be in use. What is left on the
        cluster stays in Instances without a client: delete it there or in Proxmox VE.
      </Confirm>
    </>
  )
}

import { CircleX } from 'lucide-react'
import { useState } from 'react'
import type { Job } from '#shared/api/dashboard.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { useJobs } from '../../widgets/use-jobs.ts'

/** Sales that failed and cannot be cleared up: what is in the way, and a way to let the client go. */
export function NotUndoneJobs({ message }: { message: string }) {
  const { running } = useJobs()
  const stuck = running.filter(({ isStuck }) => isStuck)
  return (
    <li className="px-5 py-3">
      <p className="flex items-center gap-3">
        <CircleX aria-hidden="true" className="size-4 shrink-0 text-bad" />
        {message}
      </p>
      {stuck.length > 0 && (
        <ul className="mt-2 space-y-3 pl-7">
          {stuck.map((job) => (
            <NotUndoneJob key={job.id} job={job} />
          ))}
        </ul>
      )}
    </li>
  )
}

function NotUndoneJob({ job }: { job: Job }) {
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
  return (
    <li className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <p className="break-words font-semibold">{job.title}</p>
        <p className="break-words text-ink-soft">{job.error ?? 'Something is in the way.'}</p>
      </div>
      <Button size="sm" aria-label={`Give up: ${job.title}`} onClick={() => setAsking(true)}>
        Give up
      </Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Give up clearing up?"
        action="Give up"
        isDangerous
        onConfirm={() => void confirm()}
        isPending={giveUp.isPending}
      >
        The order goes back to Paid, and you can refund it or provision it again under Orders. Its
        token leaves the market, because its address may still be in use. What is left on the
        cluster stays in Instances as nobody's: remove it there or in Proxmox VE.
      </Confirm>
    </li>
  )
}

import { ClockAlert } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { May } from '../../widgets/facts/may.tsx'

/** The clock jumped: an operator has to check and confirm it. */
export function TimeInDoubt({ message }: { message: string }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 px-5 py-3">
      <p className="flex min-w-0 flex-1 basis-72 items-center gap-3">
        <ClockAlert aria-hidden="true" className="size-4 shrink-0 text-bad" />
        {message}
      </p>
      <May duty="run">
        <Button size="sm" className="max-sm:ml-7" onClick={() => setAsking(true)}>
          Confirm the time
        </Button>
      </May>
      {isAsking && <ConfirmTime onClose={() => setAsking(false)} />}
    </li>
  )
}

function ConfirmTime({ onClose }: { onClose: () => void }) {
  const confirm = useAction(api.dashboard.confirmTime, {
    done: 'Time confirmed',
    failed: 'The time could not be confirmed',
    refresh: [api.dashboard.attention],
  })
  const run = async () => {
    const { ok } = await confirm.run({})
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title="Is the clock of the database right?"
      action="The clock is right"
      onConfirm={() => void run()}
      isPending={confirm.isPending}
    >
      Check the date and time on the machine that runs the database. Once you confirm, terms and
      grace periods follow that clock again. If it is wrong, correct it instead; this message then
      disappears.
    </Confirm>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import type { BackupSchedule } from '#shared/api/servers/backups.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { exactTime } from '../../../lib/format/time.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Card, CardBody, CardHeader } from '../../../ui/layout/card.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { scheduleText } from './schedule-words.ts'

const POLL_MS = 30_000

/** What is backed up without a press, and how that went. */
export function ScheduleCard({ server }: { server: Server }) {
  const { id, can } = server
  const schedule = useQuery({
    ...query(api.backups.schedule, { params: { id } }),
    staleTime: 0,
    refetchInterval: POLL_MS,
  })
  const [isOpen, setOpen] = useState(false)
  const { data } = schedule
  const refusal = can.schedule.why ?? (data?.every === 'none' ? data.refusal : null)
  const verb = data?.every === 'none' ? 'Set up' : 'Change'
  return (
    <Card className="max-w-3xl" aria-label="Schedule">
      <CardHeader
        title="Schedule"
        description="Automatic backups, at hours that suit you."
        action={
          <Button
            aria-label={`${verb} the schedule`}
            disabled={!data || refusal !== null}
            title={refusal ?? undefined}
            onClick={() => setOpen(true)}
          >
            {verb}
          </Button>
        }
      />
      <ListState query={schedule} failure="The schedule could not be loaded">
        {(now) => <View schedule={now} refusal={refusal} />}
      </ListState>
      {isOpen && data && (
        <ScheduleDialog server={server} schedule={data} onClose={() => setOpen(false)} />
      )}
    </Card>
  )
}

type ViewProps = { schedule: BackupSchedule; refusal: string | null }

function View({ schedule, refusal }: ViewProps) {
  const { every, nextAt, failure } = schedule
  return (
    <CardBody className="space-y-3">
      <p>{scheduleText(schedule)}</p>
      {every !== 'none' && nextAt !== null && (
        <p className="text-ink-soft">
          Next: {exactTime(new Date(nextAt))}, or as soon as the node is free after that.
        </p>
      )}
      {failure && (
        <Note tone="warn">
          The last one failed, {exactTime(new Date(failure.at))}: {failure.why}
        </Note>
      )}
      {refusal !== null && <Note>{refusal}</Note>}
    </CardBody>
  )
}

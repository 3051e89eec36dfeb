import { useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import type { BackupSchedule } from '#shared/api/servers/backups.ts'
import { WEEKDAYS, WINDOW_HOURS } from '#shared/rules/instance/backup-schedule.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { Field } from '../../../ui/form/field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { SERVER_CHANGED } from '../../../widgets/instance/server-changed.ts'
import { localHour, windowText } from './schedule-words.ts'

type ScheduleDialogProps = {
  server: Pick<Server, 'id' | 'label'>
  schedule: BackupSchedule
  onClose: () => void
}

const PACES = [
  { value: 'none', label: 'Never' },
  { value: 'day', label: 'Every day' },
  { value: 'week', label: 'Every week' },
] as const

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const oneOf = <Value,>(list: readonly Value[], wanted: unknown, otherwise: Value): Value =>
  list.find((one) => String(one) === String(wanted)) ?? otherwise

/** How often, between which hours, and how many are kept. */
export function ScheduleDialog({ server, schedule, onClose }: ScheduleDialogProps) {
  const { window } = schedule
  const isNew = schedule.every === 'none'
  const [every, setEvery] = useState<BackupSchedule['every']>(isNew ? 'day' : schedule.every)
  const [from, setFrom] = useState(window.from)
  const [hours, setHours] = useState(oneOf(WINDOW_HOURS, window.hours, 8))
  const [weekday, setWeekday] = useState(window.weekday ?? 'Sunday')
  const [keep, setKeep] = useState(schedule.keep)
  const set = useAction(api.backups.setSchedule, {
    done: {
      title: every === 'none' ? 'The schedule has ended' : 'The schedule is set',
      description: server.label,
    },
    failed: 'The schedule was not changed',
    refresh: [api.backups.schedule, api.backups.list, ...SERVER_CHANGED],
  })
  const submit = async () => {
    const day = every === 'week' ? weekday : null
    const body = { every, window: { from, hours, weekday: day }, keep }
    const { ok } = await set.run({ params: { id: server.id }, body })
    if (ok) onClose()
  }
  const offset = new Date().getTimezoneOffset()
  return (
    <FormDialog
      onClose={onClose}
      title="Backup schedule"
      description={server.label}
      verb="Save"
      isPending={set.isPending}
      className="space-y-5"
      onSubmit={submit}
    >
      <Field label="Back up">
        {(control) => (
          <Select
            {...control}
            value={every}
            onChange={({ target }) =>
              setEvery(PACES.find(({ value }) => value === target.value)?.value ?? 'none')
            }
            options={PACES}
          />
        )}
      </Field>
      {every === 'none' ? (
        <p className="text-ink-soft">The backups that are there stay until you delete them.</p>
      ) : (
        <>
          {every === 'week' && (
            <Field label="On (UTC)">
              {(control) => (
                <Select
                  {...control}
                  value={weekday}
                  onChange={({ target }) => setWeekday(oneOf(WEEKDAYS, target.value, 'Sunday'))}
                  options={WEEKDAYS.map((day) => ({ value: day, label: day }))}
                />
              )}
            </Field>
          )}
          <div className="grid gap-5 sm:grid-cols-2">
            <Field
              label="Not before"
              hint={localHour(from, offset, every === 'week' ? weekday : undefined)}
            >
              {(control) => (
                <Select
                  {...control}
                  value={String(from)}
                  onChange={({ target }) => setFrom(Number(target.value))}
                  options={upTo(24).map((hour) => ({
                    value: String(hour - 1),
                    label: `${String(hour - 1).padStart(2, '0')}:00 UTC`,
                  }))}
                />
              )}
            </Field>
            <Field label="Starts within" hint={windowText(from, hours)}>
              {(control) => (
                <Select
                  {...control}
                  value={String(hours)}
                  onChange={({ target }) => setHours(oneOf(WINDOW_HOURS, target.value, 8))}
                  options={WINDOW_HOURS.map((one) => ({
                    value: String(one),
                    label: `${one} hours`,
                  }))}
                />
              )}
            </Field>
          </div>
          <Field
            label="Keep"
            hint="Scheduled ones only. What you make by hand or protect stays until you delete it."
          >
            {(control) => (
              <Select
                {...control}
                value={String(keep)}
                onChange={({ target }) => setKeep(Number(target.value))}
                options={upTo(Math.max(schedule.mostKept, keep)).map((count) => ({
                  value: String(count),
                  label: count === 1 ? 'The newest one' : `The newest ${count}`,
                }))}
              />
            )}
          </Field>
        </>
      )}
    </FormDialog>
  )
}

import { useId } from 'react'
import { eventWords, type WebhookEvent } from '#shared/rules/people/webhook-events.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'

type EventFieldsProps = {
  offered: readonly WebhookEvent[]
  chosen: readonly WebhookEvent[]
  error: string | undefined
  onChange: (chosen: WebhookEvent[]) => void
}

/** What the webhook is told, each on its own. */
export function EventFields({ offered, chosen, error, onChange }: EventFieldsProps) {
  const id = useId()
  const errorId = `${id}-error`
  return (
    <fieldset aria-describedby={error ? errorId : undefined}>
      <legend className="mb-2 font-semibold">Tell it when</legend>
      <div className="space-y-1">
        {offered.map((event) => (
          <label key={event} htmlFor={`${id}-${event}`} className="flex items-center gap-3 py-1">
            <Checkbox
              id={`${id}-${event}`}
              checked={chosen.includes(event)}
              onChange={({ target }) =>
                onChange(
                  target.checked ? [...chosen, event] : chosen.filter((one) => one !== event),
                )
              }
            />
            <span className="min-w-0">
              {eventWords(event)} <span className="font-mono text-ink-soft text-xs">{event}</span>
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p id={errorId} className="text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}

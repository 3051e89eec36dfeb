import { eventWords, type WebhookEvent } from '#shared/rules/people/webhook-events.ts'
import { CheckboxList } from '../../../ui/form/checkbox-list.tsx'
import { Named } from '../../../widgets/facts/named.tsx'

type EventFieldsProps = {
  offered: readonly WebhookEvent[]
  chosen: readonly WebhookEvent[]
  error: string | undefined
  onChange: (chosen: WebhookEvent[]) => void
}

/** What the webhook is told, each on its own. */
export function EventFields({ offered, ...props }: EventFieldsProps) {
  const options = offered.map((event) => ({
    value: event,
    words: <Named words={eventWords(event)} name={event} />,
  }))
  return <CheckboxList legend="Tell it when" options={options} {...props} />
}

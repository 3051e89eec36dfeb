import { useState } from 'react'
import { type Webhook, WebhookWish } from '#shared/api/people/own-webhooks.ts'
import { isStaffRole } from '#shared/rules/people/roles.ts'
import { eventsFor, type WebhookEvent } from '#shared/rules/people/webhook-events.ts'
import { sentenceOf } from '../../../api/api-error.ts'
import { useMe } from '../../../api/session.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { TextField } from '../../../ui/form/text-field.tsx'
import { ToggleField } from '../../../ui/form/toggle-field.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { EventFields } from './event-fields.tsx'
import { NewSecret } from './new-secret.tsx'

type WebhookDialogProps = { webhook: Webhook | undefined; onClose: () => void }

const REFRESH = [api.ownWebhooks.list, api.account.activity]
const FIRST: WebhookEvent[] = ['server.ready', 'server.ending-soon', 'backup.failed']

/** Makes a webhook and shows its secret once, or changes one. */
export function WebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const me = useMe()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [events, setEvents] = useState<WebhookEvent[]>(webhook?.events ?? FIRST)
  const [isOn, setOn] = useState(webhook?.isOn ?? true)
  const [problems, setProblems] = useState<Partial<Record<string, string>>>({})
  const [secret, setSecret] = useState<string>()
  const make = useAction(api.ownWebhooks.create, { failed: () => undefined, refresh: REFRESH })
  const change = useAction(api.ownWebhooks.update, {
    done: 'Webhook changed',
    failed: () => undefined,
    refresh: REFRESH,
  })
  const error = make.error ?? change.error

  async function submit() {
    const parsed = WebhookWish.safeParse({ url: url.trim(), events })
    const issues = parsed.error?.issues ?? []
    setProblems(Object.fromEntries(issues.map(({ path, message }) => [String(path[0]), message])))
    if (!parsed.success) return
    if (webhook) {
      const body = { ...parsed.data, isOn }
      if ((await change.run({ params: { id: webhook.id }, body })).ok) onClose()
      return
    }
    const outcome = await make.run({ body: parsed.data })
    if (outcome.ok) setSecret(outcome.result.secret)
  }

  if (secret !== undefined) {
    return <NewSecret secret={secret} isReplaced={webhook !== undefined} onClose={onClose} />
  }
  return (
    <FormDialog
      onClose={onClose}
      title={webhook ? 'Change webhook' : 'Make webhook'}
      verb={webhook ? 'Save' : 'Make webhook'}
      isPending={make.isPending || change.isPending}
      onSubmit={submit}
      className="space-y-5"
    >
      <TextField
        label="Address"
        hint="On the internet, by https. We send a POST with JSON there."
        error={problems.url}
        type="url"
        inputMode="url"
        placeholder="https://example.com/hook"
        value={url}
        maxLength={500}
        autoComplete="off"
        onChange={(event) => setUrl(event.target.value)}
      />
      {webhook && (
        <>
          <ToggleField label="On" checked={isOn} onChange={({ target }) => setOn(target.checked)} />
          <ReplaceSecret webhook={webhook} onNew={setSecret} />
        </>
      )}
      <EventFields
        offered={eventsFor(isStaffRole(me.role))}
        chosen={events}
        error={problems.events}
        onChange={setEvents}
      />
      {error ? <Note tone="bad">{sentenceOf(error)}</Note> : null}
    </FormDialog>
  )
}

function ReplaceSecret({ webhook, onNew }: { webhook: Webhook; onNew: (secret: string) => void }) {
  const replace = useAction(api.ownWebhooks.replaceSecret, {
    failed: 'The secret was not replaced',
    refresh: REFRESH,
  })
  async function run() {
    const outcome = await replace.run({ params: { id: webhook.id } })
    if (outcome.ok) onNew(outcome.result.secret)
  }
  return (
    <div className="flex items-center justify-between gap-4">
      <p className="text-ink-soft">A new secret leaves the old one valid for a day.</p>
      <Button size="sm" isPending={replace.isPending} onClick={() => void run()}>
        New secret
      </Button>
    </div>
  )
}

import { useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import {
  DnsServerFields,
  type DnsServerKind,
  type ReverseDns,
} from '#shared/api/servers/reverse-dns.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { PasswordInput } from '../../ui/form/password-input.tsx'
import { Select } from '../../ui/form/select.tsx'
import { TextField } from '../../ui/form/text-field.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'

type DnsServer = ReverseDns['server']
type Fields = { kind: DnsServerKind; url: string; secret: string }

const KINDS: readonly { value: DnsServerKind; label: string }[] = [
  { value: 'powerdns', label: 'PowerDNS' },
  { value: 'webhook', label: 'Webhook' },
]

const WORDS: Record<DnsServerKind, { example: string; hint: string; secret: string }> = {
  powerdns: {
    example: 'http://127.0.0.1:8081',
    hint: 'Of its HTTP API. Without TLS only on this machine or in a private network.',
    secret: 'API key',
  },
  webhook: {
    example: 'https://dns.example.net/reverse-names',
    hint: 'Gets a signed call for every name.',
    secret: 'Secret that calls are signed with',
  },
}

const bodyOf = ({ kind, url, secret }: Fields) => ({
  kind,
  url: url.trim(),
  ...(secret === '' ? {} : { secret }),
})

const checkFields = (fields: Fields) => DnsServerFields.safeParse(bodyOf(fields))

/** Names the DNS server, tries it, or takes it away. */
export function DnsServerDialog({ server, onClose }: { server: DnsServer; onClose: () => void }) {
  const formId = useId()
  const [answer, setAnswer] = useState<{ isGood: boolean; text: string }>()
  const form = useForm<Fields>({
    defaultValues: { kind: server?.kind ?? 'powerdns', url: server?.url ?? '', secret: '' },
    resolver: zodResolver(checkFields),
  })
  const refresh = [api.reverseDns.get]
  const said = { failed: () => undefined, refresh } as const
  const test = useAction(api.reverseDns.test, said)
  const connect = useAction(api.reverseDns.connect, { ...said, done: 'DNS server saved' })
  const disconnect = useAction(api.reverseDns.disconnect, {
    done: 'Reverse DNS is no longer offered',
    failed: 'Nothing was changed',
    refresh,
  })
  const { register, formState, watch } = form
  const { errors } = formState
  const words = WORDS[watch('kind')]

  const fail = (error: Error | undefined) => {
    if (error) setAnswer({ isGood: false, text: sentenceOf(error) })
  }
  const ask = async (fields: Fields) => {
    setAnswer(undefined)
    const outcome = await test.run({ body: bodyOf(fields) })
    if (outcome.ok) setAnswer({ isGood: true, text: outcome.result.message })
    else fail(outcome.error)
  }
  const save = async (fields: Fields) => {
    setAnswer(undefined)
    const outcome = await connect.run({ body: bodyOf(fields) })
    if (outcome.ok) onClose()
    else fail(outcome.error)
  }
  const takeAway = async () => {
    if ((await disconnect.run()).ok) onClose()
  }

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="DNS server"
      description="Reverse names of your clients’ addresses are written to it."
      footer={
        <>
          {server && (
            <Button
              className="sm:mr-auto"
              isPending={disconnect.isPending}
              onClick={() => void takeAway()}
            >
              Stop offering it
            </Button>
          )}
          <Button
            isPending={test.isPending}
            onClick={(event) => void form.handleSubmit(ask)(event)}
          >
            Test
          </Button>
          <Button type="submit" form={formId} variant="primary" isPending={connect.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="space-y-4"
        onSubmit={(event) => void form.handleSubmit(save)(event)}
      >
        <Field label="Kind" error={errors.kind?.message}>
          {(control) => <Select {...control} {...register('kind')} options={KINDS} />}
        </Field>
        <TextField
          label="Address"
          hint={words.hint}
          error={errors.url?.message}
          {...register('url')}
          placeholder={words.example}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="font-mono"
        />
        <Field
          label={words.secret}
          hint={server ? 'Leave it empty to keep the stored one.' : undefined}
          error={errors.secret?.message}
        >
          {(control) => (
            <PasswordInput {...control} {...register('secret')} autoComplete="new-password" />
          )}
        </Field>
        <div role="status">{answer?.isGood && <Note tone="good">{answer.text}</Note>}</div>
        {answer && !answer.isGood && <Note tone="bad">{answer.text}</Note>}
      </form>
    </Dialog>
  )
}

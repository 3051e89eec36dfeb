import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Recovery } from '#shared/api/people/recovery.ts'
import { query } from '../../api/query.ts'
import { useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { brandName } from '../../lib/browser/page-facts.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { PasswordInput } from '../../ui/form/password-input.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { Copy } from '../../widgets/facts/copy.tsx'
import { QrCode } from '../../widgets/facts/qr-code.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { SimulatedNote } from './simulated-note.tsx'

/** Twelve words that set a new password, to be printed and kept. */
export function RecoveryCard({ isSimulated }: { isSimulated: boolean }) {
  const state = useQuery({ ...query(api.recovery.state), enabled: !isSimulated })
  const [words, setWords] = useState<readonly string[]>()
  return (
    <Card>
      <CardHeader
        title="Recovery kit"
        description="Twelve words on a paper that set a new password when yours is lost."
      />
      {isSimulated ? (
        <SimulatedNote />
      ) : words ? (
        <Kit words={words} onDone={() => setWords(undefined)} />
      ) : (
        <ListState query={state} failure="Your recovery kit could not be loaded">
          {(found) => <MakeKit recovery={found} onMade={setWords} />}
        </ListState>
      )}
    </Card>
  )
}

type MakeKitProps = { recovery: Recovery; onMade: (words: readonly string[]) => void }

function MakeKit({ recovery, onMade }: MakeKitProps) {
  const { kitMadeAt, delayHours } = recovery
  const make = useAction(api.recovery.makeKit, {
    failed: 'No recovery kit was made',
    refresh: [api.recovery.state, api.account.activity],
  })
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password'))
    const outcome = await make.run({ body: { password } })
    if (outcome.ok) onMade(outcome.result.words)
  }
  return (
    <form onSubmit={submit} noValidate>
      <CardBody className="max-w-xl space-y-5">
        <p>
          Whoever has the words can ask for a new password. It is in force after {delayHours} hours,
          and turns a second factor off then. Until then every page you are signed in on says so,
          and one press stops it.
        </p>
        <p className="text-ink-soft">
          {kitMadeAt === null ? (
            'You have no recovery kit yet.'
          ) : (
            <>
              Your kit was made <RelativeTime at={kitMadeAt} />. New words replace it: the old paper
              no longer works.
            </>
          )}
        </p>
        <Field label="Your password" className="max-w-md">
          {(control) => (
            <PasswordInput {...control} name="password" autoComplete="current-password" />
          )}
        </Field>
        <Button type="submit" variant="primary" isPending={make.isPending}>
          {kitMadeAt === null ? 'Make a recovery kit' : 'Make a new recovery kit'}
        </Button>
      </CardBody>
    </form>
  )
}

type KitProps = { words: readonly string[]; onDone: () => void }

/** Shown this once; on paper it is the whole page. */
function Kit({ words, onDone }: KitProps) {
  const { username } = useMe()
  const text = `${brandName} recovery kit\nUsername: ${username}\n${words.join(' ')}\n`
  return (
    <CardBody className="space-y-5">
      <p className="font-semibold">
        Print or write this down now. It is shown this once, and we keep no copy.
      </p>
      <div className="grid gap-6 sm:grid-cols-[1fr_11rem]">
        <div className="space-y-4">
          <p>
            <span className="text-ink-soft">Username </span>
            <span className="font-mono font-semibold text-lg">{username}</span>
          </p>
          <ol className="grid grid-cols-2 gap-x-6 gap-y-1.5 font-mono sm:grid-cols-3">
            {words.map((word, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the words of one fixed list
              <li key={index} className="flex gap-2">
                <span className="w-6 text-right text-ink-soft">{index + 1}.</span>
                <span className="font-semibold">{word}</span>
              </li>
            ))}
          </ol>
          <p className="text-ink-soft">
            To use it: {location.host}, Sign in, Use your recovery kit.
          </p>
        </div>
        <div className="aspect-square w-44 overflow-hidden rounded-sm border">
          <QrCode text={text} label="QR code with username and words" />
        </div>
      </div>
      <div className="flex flex-wrap gap-2 print:hidden">
        <Button variant="primary" onClick={() => window.print()}>
          <Printer aria-hidden="true" className="size-4" />
          Print
        </Button>
        <Copy value={text} label="Copy" hasText variant="secondary" size="md" />
        <Button onClick={onDone}>I have it on paper</Button>
      </div>
    </CardBody>
  )
}

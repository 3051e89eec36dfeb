import { type ReactNode, useState } from 'react'
import type { ProviderSetup } from '#shared/api/money/provider-keys.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Badge, type Tone } from '../../../ui/indicator/badge.tsx'
import { RelativeTime } from '../../../widgets/time/relative-time.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { nameOf } from './provider-words.ts'
import { RemoveKeys, TurnOff, useTurn } from './turn-off.tsx'

type Asking = 'keys' | 'off' | 'remove'

/** One provider: where its keys come from, and what can be done with it. */
export function ProviderRow({ setup }: { setup: ProviderSetup }) {
  const { name: provider, isOffered, isListed, setBy, problem } = setup
  const [asking, setAsking] = useState<Asking>()
  const turn = useTurn()
  const name = nameOf(provider)
  const [tone, state] = stateOf(setup)
  const hasKeys = setBy !== null || provider === 'manual'
  const keysVerb = setBy === null ? 'Enter keys' : 'Change keys'
  const close = () => setAsking(undefined)

  return (
    <li className="space-y-3 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <p className="flex flex-wrap items-center gap-2 font-semibold">
            {name}
            <Badge tone={tone} hasMark>
              {state}
            </Badge>
          </p>
          <p className="text-ink-soft wrap-anywhere">{sourceText(setup)}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          {provider !== 'manual' && setBy !== 'environment' && (
            <Button aria-label={`${keysVerb} of ${name}`} onClick={() => setAsking('keys')}>
              {keysVerb}
            </Button>
          )}
          {setBy === 'settings' && !isOffered && (
            <Button aria-label={`Remove keys of ${name}`} onClick={() => setAsking('remove')}>
              Remove keys
            </Button>
          )}
          {hasKeys && !isListed && (isOffered || !problem) && (
            <Button
              aria-label={`Turn ${isOffered ? 'off' : 'on'} ${name}`}
              isPending={turn.isPending}
              onClick={() =>
                isOffered
                  ? setAsking('off')
                  : void turn.run({ params: { provider }, body: { isOn: true } })
              }
            >
              {isOffered ? 'Turn off' : 'Turn on'}
            </Button>
          )}
        </div>
      </div>
      {problem && <Note tone="bad">{problem}</Note>}
      {asking === 'keys' && <KeysDialog setup={setup} onClose={close} />}
      {asking === 'off' && <TurnOff setup={setup} onClose={close} />}
      {asking === 'remove' && <RemoveKeys setup={setup} onClose={close} />}
    </li>
  )
}

function stateOf({ isOffered, setBy, problem, name }: ProviderSetup): [Tone, string] {
  if (isOffered) return ['good', 'Offered']
  if (problem) return ['bad', 'Cannot be used']
  return ['idle', setBy === null && name !== 'manual' ? 'Not set up' : 'Off']
}

function sourceText({ name, setBy, variables, savedAt, savedBy }: ProviderSetup): ReactNode {
  if (setBy === 'environment') return `Set by the environment: ${variables.join(', ')}.`
  if (name === 'manual') return 'Clients pay you directly; you mark their orders as paid.'
  if (setBy === null) return 'No keys yet.'
  if (!savedAt) return 'Keys were entered here.'
  return (
    <>
      Keys entered <RelativeTime at={savedAt} /> by {savedBy ?? 'an account that no longer exists'}.
    </>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { ExternalLink, RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { leave } from '../../api/session.ts'
import { consolePath, loginPath } from '../../lib/paths/paths.ts'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Spinner } from '../../ui/indicator/spinner.tsx'
import { PowerButtons } from '../../widgets/power/power-buttons.tsx'
import type { Audience } from '../../widgets/power/power-words.ts'
import type { ScreenState } from './use-screen.ts'

const LONG_MS = 5000

type NoticeProps = {
  state: Exclude<ScreenState, { kind: 'open' }>
  instance: { id: number; name: string; vmId: number; status: string }
  audience: Audience
  onConnect: () => void
}

/** Shown instead of the screen: the state of the connection, and the next step. */
export function ConsoleNotice({ state, instance, audience, onConnect }: NoticeProps) {
  if (state.kind === 'connecting') return <Connecting isAgain={state.isAgain} />
  if (state.kind === 'elsewhere') return <Elsewhere address={state.address} />
  const { title, text, next } = state.words
  const isOff = instance.status === 'stopped' || instance.status === 'suspended'
  return (
    <div role="alert" className="absolute inset-0 grid place-content-center gap-3 p-6 text-center">
      <p className="font-semibold text-lg">{title}</p>
      <p className="max-w-prose">{text}</p>
      {state.willRetry && <p className="text-screen-soft">Trying again in a moment…</p>}
      <div className="flex flex-wrap justify-center gap-2">
        {next === 'sign-in' ? (
          <SignIn id={instance.id} />
        ) : isOff ? (
          <PowerButtons instance={instance} acts={['start']} audience={audience} hasText isBrief />
        ) : (
          <Button onClick={onConnect}>
            <RefreshCw aria-hidden="true" className="size-4" />
            Connect again
          </Button>
        )}
      </div>
    </div>
  )
}

function Connecting({ isAgain }: { isAgain: boolean }) {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" className="absolute inset-0 grid place-content-center gap-2 p-6 text-center">
      <p className="flex items-center justify-center gap-3">
        <Spinner />
        {isAgain ? 'Reconnecting to the screen…' : 'Connecting to the screen…'}
      </p>
      {isLong && (
        <p className="text-screen-soft">
          This takes longer than usual: the cluster is slow to answer. Your server is not affected.
        </p>
      )}
    </div>
  )
}

function Elsewhere({ address }: { address: string }) {
  return (
    <div className="absolute inset-0 grid place-content-center gap-3 p-6 text-center">
      <p>This server’s screen is shown by the cluster itself, on a page of its own.</p>
      <a
        href={address}
        rel="noreferrer"
        className={`${buttonClass({ variant: 'primary' })} justify-self-center`}
      >
        <ExternalLink aria-hidden="true" className="size-4" />
        Open the cluster’s console
      </a>
    </div>
  )
}

/** The page still assumes a signed-in user; after signing in it returns here. */
function SignIn({ id }: { id: number }) {
  const client = useQueryClient()
  return (
    <Button variant="primary" onClick={() => leave(client, loginPath({ next: consolePath(id) }))}>
      Sign in again
    </Button>
  )
}

import { Clipboard, Expand, Keyboard, RefreshCw, Scaling } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useParams } from 'wouter'
import { readVnc } from '#shared/rules/console-address.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { api } from '../../api/table.ts'
import { lazyPage } from '../../lib/lazy-page.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { type EndingWords, wordsOf } from './ending-words.ts'
import { connectScreen, type ScreenConnection } from './screen-connection.ts'

const PasteDialog = lazyPage(() => import('./paste-dialog.tsx'), 'PasteDialog')

type State = { kind: 'connecting' } | { kind: 'open' } | { kind: 'ended'; words: EndingWords }

/** The ticket a dialog put behind the #; taken out of the address at once, for it is a secret. */
function takeTicket(): string | undefined {
  const ticket = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  return ticket || undefined
}

async function newTicket(id: number): Promise<string> {
  const vnc = readVnc(await call(api.consoles.ticket, { params: { id } }))
  if ('problem' in vnc) throw new Error(vnc.problem)
  return vnc.ticket
}

export function ConsolePage() {
  const id = Number(useParams<{ id: string }>().id)
  const target = useRef<HTMLDivElement>(null)
  const screen = useRef<ScreenConnection>(undefined)
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<State>({ kind: 'connecting' })

  useEffect(() => {
    const element = target.current
    if (!element) return
    let isGone = false
    setState({ kind: 'connecting' })
    const fail = (text: string) =>
      setState({
        kind: 'ended',
        words: { title: 'The console did not open', text, canReconnect: true },
      })
    const given = attempt === 0 ? takeTicket() : undefined
    Promise.resolve(given ?? newTicket(id)).then(
      (ticket) => {
        if (isGone) return
        screen.current = connectScreen(element, ticket, {
          onOpen: () => setState({ kind: 'open' }),
          onEnd: (ending) => setState({ kind: 'ended', words: wordsOf(ending) }),
        })
      },
      (error: unknown) => {
        if (!isGone) fail(sentenceOf(error))
      },
    )
    return () => {
      isGone = true
      screen.current?.stop()
      element.replaceChildren()
    }
  }, [id, attempt])

  return (
    <main className="flex h-dvh flex-col bg-screen text-screen-ink">
      <h1 className="sr-only">Console</h1>
      <Toolbar
        isOpen={state.kind === 'open'}
        screen={screen}
        onReconnect={() => setAttempt((count) => count + 1)}
      />
      <div className="relative min-h-0 flex-1">
        <div ref={target} className="absolute inset-0" />
        {state.kind !== 'open' && (
          <Notice state={state} onReconnect={() => setAttempt((count) => count + 1)} />
        )}
      </div>
    </main>
  )
}

function Notice({ state, onReconnect }: { state: State; onReconnect: () => void }) {
  if (state.kind !== 'ended') {
    return (
      <p role="status" className="absolute inset-0 flex items-center justify-center gap-3">
        <Spinner /> Connecting to the screen…
      </p>
    )
  }
  const { title, text, canReconnect } = state.words
  return (
    <div role="alert" className="absolute inset-0 grid place-content-center gap-3 p-6 text-center">
      <p className="font-semibold text-lg">{title}</p>
      <p>{text}</p>
      {canReconnect && (
        <Button className="justify-self-center" onClick={onReconnect}>
          <RefreshCw aria-hidden="true" className="size-4" />
          Connect again
        </Button>
      )}
    </div>
  )
}

type ToolbarProps = {
  isOpen: boolean
  screen: React.RefObject<ScreenConnection | undefined>
  onReconnect: () => void
}

function Toolbar({ isOpen, screen, onReconnect }: ToolbarProps) {
  const [isPasting, setPasting] = useState(false)
  const [isScaled, setScaled] = useState(true)
  const toggleScale = () => {
    screen.current?.setScaled(!isScaled)
    setScaled(!isScaled)
  }
  return (
    <div
      role="toolbar"
      aria-label="Console"
      className="flex flex-wrap gap-2 border-b bg-card p-2 text-ink"
    >
      <Button size="sm" disabled={!isOpen} onClick={() => screen.current?.sendCtrlAltDel()}>
        <Keyboard aria-hidden="true" className="size-4" />
        Ctrl-Alt-Del
      </Button>
      <Button size="sm" disabled={!isOpen} onClick={() => setPasting(true)}>
        <Clipboard aria-hidden="true" className="size-4" />
        Paste
      </Button>
      <Button size="sm" aria-pressed={isScaled} disabled={!isOpen} onClick={toggleScale}>
        <Scaling aria-hidden="true" className="size-4" />
        Fit
      </Button>
      <Button size="sm" onClick={() => void document.documentElement.requestFullscreen()}>
        <Expand aria-hidden="true" className="size-4" />
        Full screen
      </Button>
      <Button size="sm" onClick={onReconnect}>
        <RefreshCw aria-hidden="true" className="size-4" />
        Reconnect
      </Button>
      {isPasting && (
        <Suspense>
          <PasteDialog
            onPaste={(text) => screen.current?.type(text)}
            onClose={() => {
              setPasting(false)
              screen.current?.focus()
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

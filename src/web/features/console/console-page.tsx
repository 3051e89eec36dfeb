import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useParams } from 'wouter'
import { query } from '../../api/query.ts'
import { useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { brandName } from '../../lib/browser/page-facts.ts'
import { remember, remembered } from '../../lib/browser/storage.ts'
import { StatusBadge } from '../../widgets/instance/status-badge.tsx'
import { PowerButtons } from '../../widgets/power/power-buttons.tsx'
import { ConsoleNotice } from './console-notice.tsx'
import { ConsoleToolbar } from './console-toolbar.tsx'
import { LAYOUTS, type LayoutId, likelyLayout } from './keyboard-layouts.ts'
import { useScreen } from './use-screen.ts'
import { useTyping } from './use-typing.ts'
import { useVisibleHeight } from './use-visible-height.ts'

const PasteDialog = lazyPage(() => import('./paste-dialog.tsx'), 'PasteDialog')
const TouchKeyboard = lazyPage(() => import('./touch-keyboard.tsx'), 'TouchKeyboard')

const POLL_MS = 3000
const LAYOUT_KEY = 'hushbox-console-keyboard'

function firstLayout(): LayoutId {
  const kept = LAYOUTS.find(({ id }) => id === remembered(LAYOUT_KEY))
  return kept?.id ?? likelyLayout(navigator.language)
}

/** The screen of one server, in its own window. */
export function ConsolePage() {
  const id = Number(useParams<{ id: string }>().id)
  const audience = useMe().role === 'client' ? 'client' : 'admin'
  const page = useRef<HTMLElement>(null)
  const target = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const { state, screen, connect } = useScreen(id, target)
  const typing = useTyping(screen)
  const [isPasting, setPasting] = useState(false)
  const [hasKeyboard, setKeyboard] = useState(false)
  const [layout, setLayout] = useState(firstLayout)
  useVisibleHeight(page)
  const { data } = useQuery({
    ...query(api.instances.status, { params: { id } }),
    refetchInterval: POLL_MS,
  })
  const { name = 'Server', status = 'unknown' } = data ?? {}
  const instance = { id, vmId: 0, name, status }
  const isOpen = state.kind === 'open'
  useReturnWithServer({ isEnded: state.kind === 'ended', status: data?.status, connect })

  useEffect(() => {
    document.title = `${name} · ${brandName}`
  }, [name])

  return (
    <main ref={page} className="flex h-dvh flex-col bg-screen text-screen-ink">
      <ConsoleToolbar
        isOpen={isOpen}
        typing={typing.left}
        isKeyboardShown={hasKeyboard}
        onCtrlAltDel={() => screen.current?.sendCtrlAltDel()}
        onPaste={() => setPasting(true)}
        onStopTyping={typing.stop}
        onScale={(isScaled) => screen.current?.setScaled(isScaled)}
        onKeyboard={() => setKeyboard(!hasKeyboard)}
        onReconnect={connect}
      >
        <h1 className="min-w-0 truncate px-1 font-semibold text-sm">
          <span className="sr-only">Console of </span>
          {name}
        </h1>
        <StatusBadge status={status} />
        <PowerButtons
          instance={instance}
          acts={['start', 'shutdown', 'restart', 'stop']}
          audience={audience}
        />
      </ConsoleToolbar>
      <div className="relative min-h-0 flex-1">
        <div ref={target} className="absolute inset-0" />
        {state.kind !== 'open' && (
          <ConsoleNotice
            state={state}
            instance={instance}
            audience={audience}
            onConnect={connect}
          />
        )}
      </div>
      {hasKeyboard && isOpen && (
        <Suspense>
          <TouchKeyboard
            field={field}
            layout={layout}
            onKeys={(events) => {
              for (const event of events) screen.current?.send(event)
            }}
          />
        </Suspense>
      )}
      {isPasting && (
        <Suspense>
          <PasteDialog
            layout={layout}
            onLayout={(chosen) => {
              setLayout(chosen)
              remember(LAYOUT_KEY, chosen)
            }}
            onType={typing.type}
            onClose={() => {
              setPasting(false)
              screen.current?.focus()
            }}
          />
        </Suspense>
      )}
    </main>
  )
}

type Returning = {
  isEnded: boolean
  /** Undefined before the first answer, and then says nothing about the server. */
  status: string | undefined
  connect: () => void
}

/** Reconnects the screen automatically when a stopped server runs again. */
function useReturnWithServer({ isEnded, status, connect }: Returning) {
  const wasOff = useRef(false)
  useEffect(() => {
    if (!isEnded) wasOff.current = false
    else if (status === undefined) return
    else if (status !== 'running') wasOff.current = true
    else if (wasOff.current) {
      wasOff.current = false
      connect()
    }
  })
}

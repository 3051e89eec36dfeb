import type RFB from '@novnc/novnc'
import { api } from '../../api/table.ts'
import type { Ending } from './ending-words.ts'
import type { KeyEvent } from './keystrokes.ts'

type Listeners = { onOpen: () => void; onEnd: (ending: Ending) => void }

/**
 * Opens the socket, sends the ticket, and lets noVNC draw into the element. Returns the function
 * that stops it.
 */
export function connectScreen(target: Element, ticket: string, { onOpen, onEnd }: Listeners) {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
  const socket = new WebSocket(`${scheme}://${location.host}${api.consoles.screen.path}`)
  let rfb: RFB | undefined
  let isStopped = false
  let wasOpen = false

  const start = async () => {
    const { default: Rfb } = await import('@novnc/novnc')
    if (isStopped || socket.readyState !== WebSocket.OPEN) return
    rfb = new Rfb(target, socket, { shared: true })
    rfb.scaleViewport = true
    rfb.background = 'transparent'
    rfb.addEventListener('connect', () => {
      wasOpen = true
      onOpen()
      rfb?.focus()
    })
    // Only now: the screen sends first, and noVNC must be listening.
    socket.send(ticket)
  }
  socket.addEventListener('open', () => {
    start().catch(() => socket.close())
  })
  socket.addEventListener('close', ({ code, reason }) => {
    if (!isStopped) onEnd({ code, reason, wasOpen })
  })

  return {
    stop() {
      isStopped = true
      socket.close()
    },
    sendCtrlAltDel: () => rfb?.sendCtrlAltDel(),
    focus: () => rfb?.focus(),
    send: ({ keysym, code, isDown }: KeyEvent) => rfb?.sendKey(keysym, code, isDown),
    setScaled(isScaled: boolean) {
      if (!rfb) return
      rfb.scaleViewport = isScaled
      rfb.clipViewport = !isScaled
      rfb.dragViewport = !isScaled
    },
  }
}

export type ScreenConnection = ReturnType<typeof connectScreen>

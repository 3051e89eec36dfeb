import type { RawData, WebSocket } from 'ws'
import type { ConsoleEnding } from '#shared/rules/instance/console-endings.ts'

/** RFB's question for the next picture; a viewer asks it without anybody at the keyboard. */
const UPDATE_REQUEST = 3
/** Far above what hands do with keys and a mouse. */
const MESSAGES_PER_SECOND = 1000
const BYTES_PER_SECOND = 1024 * 1024

type Supervision = {
  idleMs: number
  checkMs: number
  /** May the viewer still see it? */
  isAllowed: () => Promise<boolean>
  failed: (error: unknown) => void
  end: (why: ConsoleEnding['why'], reason: string) => void
}

/**
 * Ends a console nobody uses, that floods us, whose browser is gone, or that is no longer the
 * viewer's to see. Returns how to look at once, and how to stop.
 */
export function supervise(socket: WebSocket, given: Supervision) {
  const { idleMs, checkMs, isAllowed, failed, end } = given
  const idle = setTimeout(() => end('idle', 'Nobody used the console.'), idleMs)
  const isTooMuch = floodGate()
  let isAlive = true

  const check = () => {
    isAllowed().then((allowed) => {
      if (!allowed) end('signedOut', 'You are no longer signed in here.')
    }, failed)
  }
  const timer = setInterval(() => {
    check()
    // While the screen is slow to take what was typed, answers wait unread.
    if (socket.isPaused) return
    // A browser that lost its network says no goodbye, and would count as open for ever.
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, checkMs)
  socket.on('pong', () => {
    isAlive = true
  })
  socket.on('message', (data: RawData) => {
    const bytes = data as Buffer
    if (bytes[0] !== UPDATE_REQUEST) idle.refresh()
    if (isTooMuch(bytes.length)) end('refused', 'The browser sent too much at once.')
  })
  check()
  return {
    check,
    stop() {
      clearTimeout(idle)
      clearInterval(timer)
    },
  }
}

/** True once more comes within a second than hands can send. */
export function floodGate() {
  let since = 0
  let messages = 0
  let sum = 0
  return (bytes: number): boolean => {
    const now = performance.now()
    if (now - since > 1000) {
      since = now
      messages = 0
      sum = 0
    }
    messages += 1
    sum += bytes
    return messages > MESSAGES_PER_SECOND || sum > BYTES_PER_SECOND
  }
}

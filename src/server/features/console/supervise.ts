import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import type { ConsoleEnding } from '#shared/rules/instance/console-endings.ts'

/** RFB's request for the next picture, which a viewer sends without any input. */
const UPDATE_REQUEST = 3
/** Far more than a person sends with keys and a mouse. */
const MESSAGES_PER_SECOND = 1000
const BYTES_PER_SECOND = 1024 * 1024
/** A ping waits behind the pictures that were sent before it: longer than one check on a slow line. */
const UNANSWERED_CHECKS = 4

type Supervision = {
  socket: WebSocket
  /** The same socket as a stream, which drains as the browser takes in its pictures. */
  viewer: Pick<Duplex, 'on'>
  idleMs: number
  checkMs: number
  /** True while the viewer may see the screen. */
  isAllowed: () => Promise<boolean>
  failed: (error: unknown) => void
  end: (why: ConsoleEnding['why'], reason: string) => void
}

/**
 * Ends a console that is idle, floods us, has lost its browser, or is no longer permitted. Returns
 * how to check at once, and how to stop.
 */
export function supervise(given: Supervision) {
  const { socket, viewer, idleMs, checkMs, isAllowed, failed, end } = given
  const idle = setTimeout(() => end('idle', 'Nobody used the console.'), idleMs)
  const isTooMuch = floodGate()
  let unanswered = 0
  const answered = () => {
    unanswered = 0
  }

  const check = () => {
    isAllowed().then((allowed) => {
      if (!allowed) end('signedOut', 'You are no longer signed in here.')
    }, failed)
  }
  const timer = setInterval(() => {
    check()
    // While the screen is slow to accept input, pong frames wait unread.
    if (socket.isPaused) return answered()
    // A browser that lost its network sends no close frame, and would count as open forever.
    if (unanswered === UNANSWERED_CHECKS) return socket.terminate()
    unanswered += 1
    socket.ping()
  }, checkMs)
  socket.on('pong', answered)
  viewer.on('drain', answered)
  socket.on('message', (data: RawData) => {
    answered()
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

/** Returns true once more messages arrive within a second than a person can send. */
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

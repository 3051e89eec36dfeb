import type { Duplex } from 'node:stream'
import { createWebSocketStream, type WebSocket } from 'ws'
import { AppError } from '#shared/errors.ts'
import { CLOSE, type ConsoleEnding } from '#shared/rules/instance/console-endings.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Metrics } from '../../http/observe/metrics.ts'
import { createSlots } from '../../lib/async/slots.ts'
import { signInToScreen, welcomeViewer } from '../../rfb/rfb-handshake.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { Look } from '../../sessions/sessions.ts'
import type { ConsoleDeps, ConsoleService } from './console.service.ts'
import { supervise } from './supervise.ts'

const TICKET_MS = 10_000
const SIGN_IN_MS = 30_000
const IDLE_MS = 10 * MINUTE_MS
const CHECK_MS = 15_000
const PER_USER = 3
const GOODBYE_MS = 1000
/** A WebSocket's close reason has at most 123 bytes. */
const REASON_BYTES = 120

/** Who the viewer is by now; undefined once the session or the key is over. */
type Again = (look: Look) => Promise<Actor | undefined>

type Relay = Pick<ConsoleDeps, 'events' | 'log'> & {
  metrics: Pick<Metrics, 'watch'>
  service: ConsoleService
  idleMs?: number
  checkMs?: number
}

/** Connects a browser's socket with a VM's screen while the viewer is allowed to see it. */
export function createRelay({
  events,
  log,
  metrics,
  service,
  idleMs = IDLE_MS,
  checkMs = CHECK_MS,
}: Relay) {
  const slots = createSlots(PER_USER)
  const sockets = new Set<WebSocket>()
  metrics.watch('hushbox_consoles', 'Open consoles', () => slots.size)

  /** Reads the ticket, opens the screen, and pipes until one side ends or the permission does. */
  const serve = async (socket: WebSocket, actor: Actor, again: Again): Promise<ConsoleEnding> => {
    const ticket = await firstMessage(socket)
    const { instanceId, screen } = await service.redeem(actor, ticket)
    const { stream } = screen
    // An unhandled error event would end the process.
    stream.on('error', (error) => log.info({ err: error, instanceId }, 'a screen broke off'))
    // The browser disconnected while the cluster was asked.
    if (socket.readyState !== socket.OPEN) {
      stream.destroy()
      return { why: 'ended', reason: '' }
    }
    // Neither side may hold a slot in silence.
    const late = setTimeout(() => {
      end(socket, 'unavailable', 'The console took too long to open.')
      stream.destroy()
    }, SIGN_IN_MS)
    try {
      await signInToScreen(stream, screen.password)
      const viewer = createWebSocketStream(socket)
      viewer.on('error', (error) => log.info({ err: error, instanceId }, 'a viewer broke off'))
      await welcomeViewer(viewer)
      clearTimeout(late)
      const isAllowed = async () => {
        const now = await again({ isUse: true })
        const isSame = now?.user.id === actor.user.id && now.admin?.id === actor.admin?.id
        return isSame && (await service.mayStillSee(now, instanceId))
      }
      const stop = watch({ socket, viewer }, actor, isAllowed)
      try {
        await joined(viewer, stream)
      } finally {
        stop()
      }
    } catch (error) {
      log.info({ err: error, instanceId }, 'a console was interrupted')
    } finally {
      clearTimeout(late)
      stream.destroy()
    }
    if (socket.readyState !== socket.OPEN) return { why: 'ended', reason: '' }
    return await service.whyEnded(actor, instanceId)
  }

  /** Checks at once when something about the viewer changed, and at intervals. */
  const watch = (
    { socket, viewer }: { socket: WebSocket; viewer: Duplex },
    actor: Actor,
    isAllowed: () => Promise<boolean>,
  ) => {
    const { check, stop } = supervise({
      socket,
      viewer,
      idleMs,
      checkMs,
      isAllowed,
      failed: (error) => {
        log.error({ err: error }, 'console: checking the right to see it failed')
        end(socket, 'unavailable', 'The console was interrupted.')
      },
      end: (why, reason) => end(socket, why, reason),
    })
    const audiences = [`user:${actor.user.id}`, 'everyone'] as const
    const admin = actor.admin ? ([`user:${actor.admin.id}`] as const) : []
    const unsubscribe = events.subscribe([...audiences, ...admin], check)
    return () => {
      stop()
      unsubscribe()
    }
  }

  return {
    /** At the end of the process: notifies every viewer and waits for none. */
    close(): void {
      for (const socket of sockets) {
        end(socket, 'unavailable', 'The service is restarting. Open the console again.')
      }
    },

    async connect(socket: WebSocket, actor: Actor, again: Again): Promise<void> {
      const release = slots.take(actor.user.id)
      if (!release) {
        return end(socket, 'tooMany', `At most ${PER_USER} consoles at once. Close one.`)
      }
      sockets.add(socket)
      // `ws` closes the socket; without a listener the error would end the process.
      socket.on('error', (error) => log.info({ err: error }, 'a console socket broke off'))
      try {
        const { why, reason } = await serve(socket, actor, again)
        end(socket, why, reason)
      } catch (error) {
        if (socket.readyState === socket.OPEN) log.warn({ err: error }, 'a console ended')
        if (!(error instanceof AppError)) {
          return end(socket, 'unavailable', 'The console was interrupted.')
        }
        end(socket, error.status >= 500 ? 'unavailable' : 'refused', error.message)
      } finally {
        sockets.delete(socket)
        release()
      }
    },
  }
}

/**
 * Pipes both ways until one side is gone. Not `pipeline`: that destroys the browser's socket with
 * the screen, and the browser would never learn the reason.
 */
function joined(viewer: Duplex, screen: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    viewer.pipe(screen)
    screen.pipe(viewer, { end: false })
    for (const side of [viewer, screen]) {
      side.once('end', resolve)
      side.once('close', resolve)
      side.on('error', reject)
    }
  })
}

function end(socket: WebSocket, why: ConsoleEnding['why'], reason: string): void {
  if (socket.readyState !== socket.OPEN) return
  socket.close(CLOSE[why], Buffer.from(reason).subarray(0, REASON_BYTES))
  // A viewer that does not answer is not waited for.
  setTimeout(() => socket.terminate(), GOODBYE_MS).unref()
}

function firstMessage(socket: WebSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new AppError('FORBIDDEN', 'The console was opened without a ticket.')),
      TICKET_MS,
    )
    const done = () => clearTimeout(timer)
    socket.once('message', (data, isBinary) => {
      done()
      if (isBinary) reject(new AppError('FORBIDDEN', 'The console was opened without a ticket.'))
      else resolve(String(data))
    })
    socket.once('close', () => {
      done()
      reject(new Error('the browser left before it said which console it wants'))
    })
  })
}

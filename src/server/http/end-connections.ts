import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Of a process that stops: a connection whose last answer was under way then ends with it. */
const KEPT_MS = 1
/** For requests under way. What is stopped after them needs its share of ten seconds, too. */
const GOODBYE_MS = 3000

/**
 * Ends the connections of a server that stops. By itself Node waits for each that is not idle, and
 * takes one for busy that has sent nothing yet, as browsers and proxies keep them in reserve: one of
 * these, or a request that never gets to its end, would hold up the stop until the process is killed
 * with its jobs under way.
 */
export function endConnections(app: FastifyInstance, goodbyeMs = GOODBYE_MS): void {
  const { server } = app
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('preClose', async () => {
    server.keepAliveTimeout = KEPT_MS
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    const timer = setTimeout(() => server.closeAllConnections(), goodbyeMs).unref()
    server.once('close', () => clearTimeout(timer))
  })
}

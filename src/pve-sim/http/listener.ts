import type { Server as HttpsServer } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'

/**
 * The listening port, separate from the HTTPS server behind it: it can be closed and reopened with
 * the same number, so that connections are really refused.
 */
export function listener(https: HttpsServer, host: string) {
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let port = 0

  function open(wanted: number): Promise<number> {
    const fresh = createServer((socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', () => socket.destroy())
      https.emit('connection', socket)
    })
    server = fresh
    return new Promise((resolve, reject) => {
      fresh.once('error', reject)
      fresh.listen(wanted, host, () => {
        const address = fresh.address()
        port = typeof address === 'object' && address ? address.port : 0
        resolve(port)
      })
    })
  }

  function shut(): Promise<void> {
    const old = server
    server = undefined
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => (old ? old.close(() => resolve()) : resolve()))
  }

  return {
    open,
    shut,
    reopen: () => (server ? Promise.resolve(port) : open(port)),
    /** Drops connections made before a change of certificate. */
    dropAll(): void {
      for (const socket of sockets) socket.destroy()
    },
  }
}

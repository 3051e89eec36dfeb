// One process that relays between a viewer and a screen: ours, or the least that `ws` allows.
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocket, WebSocketServer } from 'ws'
import { socketStream } from '../../src/proxmox/calls/vnc-stream.ts'
import { createRelay } from '../../src/server/features/console/relay.ts'

const [kind = '', upstream = ''] = process.argv.slice(2)
const server = createServer()
const sockets = new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 64 * 1024 })

/** Attaches the stream as soon as it opens: the screen sends first. */
const dial = (streamOf: (socket: WebSocket) => Duplex) =>
  new Promise<Duplex>((resolve, reject) => {
    const socket = new WebSocket(upstream, { perMessageDeflate: false })
    socket.once('open', () => resolve(streamOf(socket)))
    socket.once('error', reject)
  })

async function pipe(socket: WebSocket): Promise<void> {
  const [viewer, screen] = [createWebSocketStream(socket), await dial(createWebSocketStream)]
  for (const side of [viewer, screen]) side.on('error', () => side.destroy())
  viewer.pipe(screen).pipe(viewer)
}

/** Drops the ticket, the first message: only the product's relay uses it. */
const bare = (socket: WebSocket): void => {
  socket.once('message', () => void pipe(socket))
}

/** The product's relay; only its database queries are answered from here. */
function ours() {
  let users = 0
  type Given = Parameters<typeof createRelay>[0]
  type Actor = Parameters<ReturnType<typeof createRelay>['connect']>[1]
  const log = { info() {}, warn: console.warn, error: console.error } as unknown as Given['log']
  const actorOf = (id: number) => ({ user: { id }, sessionId: `${id}` }) as unknown as Actor
  const service = {
    redeem: async () => ({
      instanceId: 1,
      screen: { stream: await dial((socket) => socketStream(socket)), password: '' },
    }),
    mayStillSee: async () => true,
    whyEnded: async () => ({ why: 'ended', reason: '' }),
  } as unknown as Given['service']
  const relay = createRelay({
    events: { subscribe: () => () => {} } as unknown as Given['events'],
    log,
    metrics: { watch: () => undefined },
    service,
  })
  return (socket: WebSocket) => {
    users += 1
    const actor = actorOf(users)
    void relay.connect(socket, actor, async () => actor)
  }
}

sockets.on('connection', kind === 'ours' ? ours() : bare)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 })
})
process.on('message', () => {
  globalThis.gc?.()
  process.send?.({ rss: process.memoryUsage().rss })
})

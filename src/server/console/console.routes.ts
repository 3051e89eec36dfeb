import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import type { Config } from '../config.ts'
import { refuseForeignOrigin } from '../http/cross-site.ts'
import { readCall } from '../http/implement.ts'
import { stateOf } from '../http/request-state.ts'
import type { ConsoleService } from './console.service.ts'
import type { createRelay } from './relay.ts'

/** What a viewer may send in one message; keys and pointer moves have a few bytes. */
const FRAME_BYTES = 64 * 1024

/** The WebSocket of the console page. Who may knock is checked by the guard, like any call. */
export async function consoleRoutes(
  app: FastifyInstance,
  { service, relay }: { service: ConsoleService; relay: ReturnType<typeof createRelay> },
  config: Config,
): Promise<void> {
  await app.register(websocket, {
    options: { maxPayload: FRAME_BYTES, perMessageDeflate: false },
    preClose: (done) => {
      relay.close()
      done()
    },
  })
  const { path, method } = api.consoles.ticket
  app.route({
    method,
    url: path,
    config: { route: api.consoles.ticket },
    handler: async (request, reply) => {
      const { actor, params } = readCall(api.consoles.ticket, request, reply)
      const { direct, ...ticket } = await service.ticket(actor, params.id)
      const vnc = { ...ticket, ...(direct ?? ownAddress(request, config)) }
      const isDirect = direct !== undefined
      return api.consoles.ticket.response.parse({ success: true, isDirect, vnc, ...vnc })
    },
  })
  app.route({
    method: 'GET',
    url: api.consoles.screen.path,
    config: { route: api.consoles.screen },
    preValidation: async (request) => refuseForeignOrigin(request, config.publicUrl),
    handler: async () => {
      throw new AppError('INVALID_INPUT', 'Open this address as a WebSocket.')
    },
    // Node lets go of a connection that asked for an upgrade: refused, it would stay open for ever.
    onResponse: async (request) => void request.raw.socket.end(),
    wsHandler: (socket, request) => {
      const { actor, cookie } = stateOf(request)
      const token = cookie.read(request)
      if (!actor || token === undefined) return socket.close()
      void relay.connect(socket, actor, token)
    },
  })
}

/** Our own host and port: nobody learns a cluster's address, unless it is marked so (C2). */
function ownAddress(request: FastifyRequest, { publicUrl }: Config) {
  const url = new URL(publicUrl ?? `${request.protocol}://${request.host}`)
  const standard = url.protocol === 'https:' ? 443 : 80
  return { host: url.hostname, port: url.port === '' ? standard : Number(url.port) }
}

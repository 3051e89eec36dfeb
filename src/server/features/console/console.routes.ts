import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import type { Config } from '../../config/config.ts'
import { refuseForeignOrigin } from '../../http/browser/cross-site.ts'
import { ownAddress } from '../../http/browser/request-address.ts'
import { readCall } from '../../http/implement.ts'
import { stateOf } from '../../http/request-state.ts'
import type { ConsoleService } from './console.service.ts'
import type { createRelay } from './relay.ts'

/** The largest message of a viewer; keys and pointer moves take a few bytes. */
const FRAME_BYTES = 64 * 1024

/** The WebSocket of the console page. Authorised by the route guard, like every other route. */
export async function consoleRoutes(
  app: FastifyInstance,
  { service, relay }: { service: ConsoleService; relay: ReturnType<typeof createRelay> },
  config: Config,
): Promise<void> {
  await app.register(websocket, {
    options: { maxPayload: FRAME_BYTES, perMessageDeflate: false },
    // An aborted connection, or bytes that are not a frame: nothing for an operator to look at.
    errorHandler: (error, socket, request) => {
      request.log.info({ err: error }, 'a WebSocket broke off')
      socket.terminate()
    },
    preClose: (done) => {
      relay.close()
      done()
    },
  })
  // The plugin accepts an upgrade on every path and then closes it, with the address in the log.
  app.addHook('onRequest', async (request) => {
    if (!isUpgrade(request) || request.routeOptions.url === api.consoles.screen.path) return
    throw new AppError('INVALID_INPUT', 'This address cannot be opened as a WebSocket.')
  })
  // Node no longer manages a connection that asked for an upgrade: refused, it would stay open for
  // ever.
  app.addHook('onResponse', async (request) => {
    if (isUpgrade(request)) request.raw.socket.destroySoon()
  })
  const { path, method } = api.consoles.ticket
  app.route({
    method,
    url: path,
    config: { route: api.consoles.ticket },
    handler: async (request, reply) => {
      const { actor, params } = readCall(api.consoles.ticket, request, reply)
      // A cluster's address is sent only if the cluster is marked so (C2). Checked before the
      // ticket: a request that cannot be answered must not issue one.
      const own = ownAddress(request, config.publicUrl)
      const { direct, ...ticket } = await service.ticket(actor, params.id)
      const vnc = { ...ticket, ...(direct ?? own) }
      const isDirect = direct !== undefined
      return api.consoles.ticket.response.parse({ success: true, isDirect, vnc, ...vnc })
    },
  })
  app.route({
    method: 'GET',
    url: api.consoles.screen.path,
    config: { route: api.consoles.screen },
    preValidation: async (request) => {
      // No browser sends a key by itself.
      if (!stateOf(request).actor?.key) refuseForeignOrigin(request, config.publicUrl)
    },
    handler: async () => {
      throw new AppError('INVALID_INPUT', 'Open this address as a WebSocket.')
    },
    wsHandler: (socket, request) => {
      const { actor, again } = stateOf(request)
      if (!actor) return socket.close()
      void relay.connect(socket, actor, again)
    },
  })
}

/** By Node's parser; the plugin sets its own flag only after the guard has run. */
const isUpgrade = ({ raw }: FastifyRequest): boolean => 'upgrade' in raw && raw.upgrade === true

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import type { Config } from '../../config/config.ts'
import { bearerOf } from '../../http/bearer.ts'
import { readCall } from '../../http/implement.ts'
import type { Random } from '../../lib/random.ts'
import { VERSION } from '../../lib/version.ts'
import { callTool, type Send } from '../../mcp/call-tool.ts'
import { answerMessage, PROTOCOL_VERSIONS } from '../../mcp/protocol.ts'
import { type Tool, toolsOf } from '../../mcp/tools.ts'
import type { ActorKey } from '../../sessions/actor.ts'

/** What of the request that brought a tool call its own request must have, too. */
const PASSED_ON = ['authorization', 'host', 'user-agent', 'x-forwarded-for', 'x-forwarded-proto']

/** The route table once more, for agents. Every call of a tool passes the guard like any other. */
export function toolsRoutes(
  app: FastifyInstance,
  { config, random }: { config: Config; random: Random },
): void {
  // Made when first asked for: few ask, and they are many.
  let all: Tool[] | undefined
  const { call: route } = api.tools

  app.route({
    method: route.method,
    url: route.path,
    config: { route },
    handler: async (request, reply) => {
      const { actor, query, body } = readCall(route, request, reply)
      const secret = bearerOf(request)
      if (secret === undefined) {
        throw new AppError(
          'INVALID_INPUT',
          'Tools are for programs: send an API key with the call.',
        )
      }
      requireVersion(request)
      all ??= toolsOf(api)
      const send = sender(app, request)
      const answer = await answerMessage(body, {
        tools: all.filter((tool) => isFor(tool, actor.key, query.allow === 'changes')),
        call: (tool, input) => callTool(tool, input, { send, secret, random }),
        server: { name: config.brandName, version: VERSION },
      })
      if (answer === undefined) return reply.code(202).send()
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer))
    },
  })
}

/** Reads within the scopes of the key; changes only where its owner allowed them, too. */
function isFor({ route }: Tool, key: ActorKey | undefined, allowsChanges: boolean): boolean {
  if (route.method !== 'GET' && !allowsChanges) return false
  return route.scope === 'any' || key?.scopes.some((scope) => scope === route.scope) === true
}

function requireVersion({ headers }: FastifyRequest): void {
  const version = headers['mcp-protocol-version']
  if (version === undefined || PROTOCOL_VERSIONS.some((one) => one === version)) return
  throw new AppError(
    'INVALID_INPUT',
    `We speak the versions ${PROTOCOL_VERSIONS.join(', ')} of the protocol.`,
  )
}

/** Sends a request of the caller to ourselves: same key, same network, same guard. */
const sender =
  (app: FastifyInstance, { headers, socket }: FastifyRequest): Send =>
  async ({ method, url, body, idempotencyKey }) => {
    const passed = PASSED_ON.flatMap((name) => (headers[name] ? [[name, headers[name]]] : []))
    const reply = await app.inject({
      method,
      url,
      remoteAddress: socket.remoteAddress ?? '',
      headers: {
        ...Object.fromEntries(passed),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { payload: body }),
    })
    return { status: reply.statusCode, text: reply.body }
  }

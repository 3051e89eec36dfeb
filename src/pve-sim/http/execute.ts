import { authenticate, type Caller, NOBODY } from '../access/auth.ts'
import { authorize } from '../access/authorize.ts'
import type { Context } from '../context/context.ts'
import { validate } from '../formats/params.ts'
import { atLeast } from '../state/versions.ts'
import type { Incoming } from '../wire/decode.ts'
import { badParameters, die, forbidden, PveError } from '../wire/errors.ts'
import type { Call, Match, Route } from './route.ts'

export type Find = (method: string, segments: string[]) => Match | undefined

/** The few calls that work without a login. */
const isOpen = (method: string, path: string) =>
  (path === '/access/domains' && method === 'GET') || path === '/access/ticket'

/** The order is PVE's: authentication first, so that anonymous callers cannot probe for paths. */
export function identify(sim: Context, incoming: Incoming): Caller {
  const { request, path } = incoming
  const method = request.method ?? 'GET'
  if (isOpen(method, path)) {
    // On these paths Proxmox VE checks only that a token was sent, not that it is valid.
    const token = /^PVEAPIToken[= ]/.test(request.headers.authorization ?? '')
    return token ? { ...NOBODY, kind: 'token' } : NOBODY
  }
  return authenticate(sim.state, { method, headers: request.headers }, sim.now())
}

const needsTicket = (path: string) =>
  forbidden(`URI '${path}' not available with API token, need proper ticket.\n`)

function mergeUri(match: Match, params: Map<string, string>): Map<string, string> {
  for (const [name, value] of match.uri) {
    const given = params.get(name)
    if (given !== undefined && given !== value) {
      throw badParameters({
        [name]: 'duplicate parameter (already defined in URI) with conflicting values!',
      })
    }
  }
  return new Map([...params, ...match.uri])
}

/** Forwards a call for another node to that node's pveproxy, if it is reachable. */
function forward(sim: Context, route: Route, node: string): void {
  if (!route.proxied || node === 'localhost' || node === sim.entryNode()) return
  const target = sim.state.nodes.get(node)
  if (!target) {
    throw die(
      `hostname lookup '${node}' failed - failed to get address info for: ${node}: Name or service not known`,
    )
  }
  if (!target.online) throw new PveError(595, 'No route to host', { emptyBody: true })
}

function callOf(sim: Context, caller: Caller, params: Map<string, string>): Call {
  const text = (name: string) => params.get(name) ?? ''
  const node = text('node')
  return {
    ...caller,
    sim,
    node: node === 'localhost' ? sim.entryNode() : node,
    all: params,
    text,
    optional: (name) => params.get(name),
    number: (name) => Number(text(name)),
    optionalNumber: (name) => (params.has(name) ? Number(text(name)) : undefined),
    flag: (name) => (params.has(name) ? text(name) === '1' : undefined),
  }
}

const decodeSegment = (segment: string) => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const needsQuorum = (route: Route) => route.method !== 'GET' && route.path !== '/access/ticket'

/** An upload is judged before the file is read, by the layer whose answers have no body. */
function beforeReading(check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof PveError)) throw error
    throw new PveError(error.status, error.message, { emptyBody: true })
  }
}

/** Everything between the wire and a route's own code; returns the value of `data`. */
export function execute(sim: Context, find: Find, caller: Caller, incoming: Incoming): unknown {
  const method = incoming.request.method ?? 'GET'
  const segments = incoming.path.split('/').filter(Boolean).map(decodeSegment)
  const match = find(method, segments)
  const { state } = sim
  if (!match || (match.route.since && !atLeast(state.version, match.route.since))) {
    throw new PveError(501, `Method '${method} ${incoming.path}' not implemented`, { bare: true })
  }
  const { route } = match
  const params = mergeUri(match, incoming.params)
  if (route.ticketOnly && caller.kind === 'token') throw needsTicket(incoming.path)
  const check = () =>
    authorize(route.permissions(state.version), { data: state, who: caller.who, params })
  if (incoming.file) beforeReading(check)
  else check()
  forward(sim, route, params.get('node') ?? '')
  validate(route.params(state.version), params, state.version)
  if (!state.quorate && needsQuorum(route)) throw die('cluster not ready - no quorum?')
  return route.handle({ ...callOf(sim, caller, params), file: incoming.file })
}

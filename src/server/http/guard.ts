import type { Access, Route } from '#shared/api/parts/route.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { hasDuty, isStaffRole } from '#shared/rules/people/roles.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { type Actor, type ActorKey, isOperator } from '../sessions/actor.ts'

/** How long a code of the second factor counts as just entered. */
const PROOF_MS = 10 * MINUTE_MS

type Circumstances = { now: Date; areOperatorsToHaveOne: boolean }

/** Refuses a call for want of a second factor, or of a recent code of it. */
export function checkSecondFactor(
  route: Pick<Route, 'access' | 'needsProof' | 'beforeSecondFactor'>,
  actor: Actor | undefined,
  { now, areOperatorsToHaveOne }: Circumstances,
): void {
  if (!actor || route.access === 'public') return
  const { secondFactor } = actor
  if (!secondFactor) {
    if (!areOperatorsToHaveOne || !isOperator(actor) || route.beforeSecondFactor) return
    const how = actor.admin ? 'Return to Admin and set one up.' : 'Set one up first.'
    throw new AppError(
      'SECOND_FACTOR_REQUIRED',
      `Administrators need a second factor here. ${how}`,
      { details: { reason: 'set-up' } },
    )
  }
  if (!route.needsProof) return
  const at = secondFactor.provenAt?.getTime() ?? 0
  if (now.getTime() - at <= PROOF_MS) return
  throw new AppError('SECOND_FACTOR_REQUIRED', 'Enter a code of your second factor first.', {
    details: { reason: 'prove' },
  })
}

/** A key that is bound to servers reaches their own routes, and these. */
const FOR_BOUND_KEYS: readonly string[] = [
  '/api/auth/me',
  '/api/client/instances',
  '/api/console',
  '/api/mcp',
]
const OF_ONE_SERVER = /^\/api\/instances\/:id(?:\/|$)/

/** Refuses a key without the scope of the route, and one that is bound to other servers. */
export function checkKey(
  { scope, path }: Pick<Route, 'scope' | 'path'>,
  { scopes, instanceIds }: ActorKey,
  params: unknown,
): void {
  if (scope === undefined) {
    throw forbidden('This cannot be done with an API key. Sign in instead.')
  }
  if (scope !== 'any' && !scopes.includes(scope)) {
    throw new AppError('FORBIDDEN', `This API key needs the scope ${scope}.`, {
      details: { scope },
    })
  }
  if (instanceIds === null || FOR_BOUND_KEYS.includes(path)) return
  if (!OF_ONE_SERVER.test(path)) throw forbidden('This API key is for certain servers only.')
  const { id } = Object(params) as { id?: unknown }
  // The same answer as for the server of another account.
  if (!instanceIds.includes(Number(id))) throw notFound('Instance')
}

/** Refuses a call that this actor may not make. An unknown role has no access. */
export function checkAccess(
  { access, staff = 'own' }: Pick<Route, 'access' | 'staff'>,
  actor: Actor | undefined,
): void {
  if (access === 'public') return
  if (!actor) throw new AppError('UNAUTHENTICATED', 'Please sign in.')
  checkKind(access, actor)
  // A simulation gives no right that the person behind it does not have.
  const role = actor.admin?.role ?? actor.user.role
  if (role === 'client' || hasDuty(role, staff)) return
  throw forbidden('Your role does not allow this. Ask an administrator who owns the installation.')
}

function checkKind(access: Exclude<Access, 'public'>, actor: Actor): void {
  const { role } = actor.user
  const isSimulating = actor.admin !== undefined
  if (role !== 'client' && !isStaffRole(role)) throw forbidden('Your account has no access.')
  switch (access) {
    case 'signed-in':
      return
    case 'in-person':
      refuseSimulation(isSimulating)
      return
    case 'client':
      if (role !== 'client') throw forbidden('Only clients can do this.')
      return
    case 'client-in-person':
      if (role !== 'client') throw forbidden('Only clients can do this.')
      refuseSimulation(isSimulating)
      return
    case 'admin':
      if (role === 'client' || isSimulating) throw forbidden('Only administrators can do this.')
      return
    case 'simulating':
      if (!isSimulating) throw forbidden('No simulation is running.')
      return
  }
}

const forbidden = (sentence: string) => new AppError('FORBIDDEN', sentence)

function refuseSimulation(isSimulating: boolean): void {
  if (!isSimulating) return
  throw new AppError(
    'NOT_WHILE_SIMULATING',
    'Not possible while simulating a client. Return to Admin first.',
  )
}

import type { Access } from '#shared/api/parts/route.ts'
import { AppError } from '#shared/errors.ts'
import type { Actor } from '../sessions/actor.ts'

/** Refuses a call that this actor may not make. An unknown role has no access. */
export function checkAccess(access: Access, actor: Actor | undefined): void {
  if (access === 'public') return
  if (!actor) throw new AppError('UNAUTHENTICATED', 'Please sign in.')
  const { role } = actor.user
  const isSimulating = actor.admin !== undefined
  if (role !== 'admin' && role !== 'client') throw forbidden('Your account has no access.')
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
      if (role !== 'admin' || isSimulating) throw forbidden('Only administrators can do this.')
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

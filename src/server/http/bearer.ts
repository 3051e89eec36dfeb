import type { FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import type { ApiKeys } from '../api-keys/api-keys.ts'
import type { Actor } from '../sessions/actor.ts'
import { visitorOf } from './rate-limit.ts'

const BEARER = /^bearer +(\S+) *$/i

/** The key that a program sends; a browser never sends one by itself, so cookies do not count then. */
export const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1]

/** The actor of a key that can be used here. */
export async function keyActor(
  request: FastifyRequest,
  apiKeys: Pick<ApiKeys, 'resolve'>,
  key: string,
): Promise<Actor> {
  const { address, isOnion } = visitorOf(request)
  const found = await apiKeys.resolve(key, isOnion ? undefined : address)
  if (!found) {
    throw new AppError(
      'UNAUTHENTICATED',
      'This API key is not valid: it is mistyped, over or revoked.',
    )
  }
  if (!found.isHere) {
    throw new AppError('FORBIDDEN', 'This API key cannot be used from your network.')
  }
  return found.actor
}

import { z } from 'zod'
import { ClientCreate } from '#shared/api/people/users.ts'
import { InstanceCreate } from '#shared/api/servers/instances.ts'
import type { Token } from '#shared/api/shop/tokens.ts'

export type CreateFields = {
  tokenId: string
  name: string
  client: 'existing' | 'new'
  clientUserId: string
  email: string
}

export const EMPTY_INSTANCE: CreateFields = {
  tokenId: '',
  name: '',
  client: 'existing',
  clientUserId: '',
  email: '',
}

const chosen = (text: string) => (text === '' ? Number.NaN : Number(text))

export const bodyOf = (fields: CreateFields, clientUserId = chosen(fields.clientUserId)) => ({
  tokenId: chosen(fields.tokenId),
  name: fields.name,
  clientUserId,
})

/** A new client's id is not known yet; the form requires its e-mail instead. */
const WithNewClient = InstanceCreate.omit({ clientUserId: true }).extend({
  email: z
    .string()
    .trim()
    .min(1, 'Email is required when creating new client')
    .pipe(ClientCreate.shape.email),
})

export const checkInstance = (fields: CreateFields) =>
  fields.client === 'new'
    ? WithNewClient.safeParse({ ...bodyOf(fields), email: fields.email })
    : InstanceCreate.safeParse(bodyOf(fields))

/** Ready and available tokens are usable as long as they have no owner. */
export const usableTokens = (tokens: readonly Token[]): readonly Token[] =>
  tokens.filter(
    ({ status, assignedUserId }) =>
      (status === 'available' || status === 'ready') && assignedUserId === null,
  )

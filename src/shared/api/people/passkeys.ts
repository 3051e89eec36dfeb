import { z } from 'zod'
import { Id, idParams, nothing, required, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { OwnPassword } from './second-factor.ts'
import { CreationOptions, NewCredential, RequestOptions } from './webauthn.ts'

/** More than any honest account needs. */
export const PASSKEYS_MAX = 10

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  /** The host it works on. */
  address: z.string(),
  /** The day it was last used on (UTC). */
  lastUsedOn: z.string().nullable(),
  createdAt: Timestamp,
})
export type Passkey = z.output<typeof Passkey>

const name = required('Please name the passkey', 60)

export const passkeys = {
  list: route({
    method: 'GET',
    path: '/api/account/passkeys',
    access: 'in-person',
    staff: 'look',
    summary: 'My passkeys',
    response: z.array(Passkey),
  }),
  begin: route({
    method: 'POST',
    path: '/api/account/passkeys/options',
    access: 'in-person',
    staff: 'look',
    needsProof: true,
    summary: 'What an authenticator needs to make a passkey; only with an authenticator app set up',
    body: OwnPassword.extend({ name }),
    response: CreationOptions,
    limit: 'strict',
  }),
  add: route({
    method: 'POST',
    path: '/api/account/passkeys',
    access: 'in-person',
    staff: 'look',
    idempotent: true,
    summary: 'Add the passkey that an authenticator made; it can be used in place of a code',
    body: z.object({ name, credential: NewCredential }),
    response: Passkey,
    status: 201,
    limit: 'strict',
  }),
  challenge: route({
    method: 'POST',
    path: '/api/account/passkeys/challenge',
    access: 'in-person',
    staff: 'look',
    summary: 'What a passkey is to sign, to confirm an action in place of a code',
    response: RequestOptions,
    limit: 'strict',
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/account/passkeys/:id',
    access: 'in-person',
    staff: 'look',
    summary: 'Remove a passkey; it is refused from now on',
    params: idParams,
    response: nothing,
    status: 204,
  }),
}

import { z } from 'zod'
import { Id, idParams, nothing, required, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

/** More than any honest account needs. */
export const SSH_KEYS_MAX = 50

export const SshKey = z.object({
  id: Id,
  name: z.string(),
  /** `ssh-ed25519` and the like. */
  type: z.string(),
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  fingerprint: z.string(),
  publicKey: z.string(),
  createdAt: Timestamp,
  /** How many of the account's servers were made with it. */
  servers: z.number().int(),
})
export type SshKey = z.output<typeof SshKey>

export const SshKeyCreate = z.object({
  name: required('Please name the key', 60),
  /** One line of a `.pub` file. */
  publicKey: required('Please paste a public key', 16_384),
})

export const sshKeys = {
  list: route({
    method: 'GET',
    path: '/api/account/ssh-keys',
    access: 'signed-in',
    staff: 'look',
    summary: 'My SSH keys',
    response: z.array(SshKey),
  }),
  add: route({
    method: 'POST',
    path: '/api/account/ssh-keys',
    idempotent: true,
    access: 'in-person',
    staff: 'look',
    summary: 'Add a public key to my SSH keys',
    body: SshKeyCreate,
    response: SshKey,
    status: 201,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/account/ssh-keys/:id',
    access: 'in-person',
    staff: 'look',
    summary: 'Remove one of my SSH keys; servers made with it keep it',
    params: idParams,
    response: nothing,
    status: 204,
  }),
}

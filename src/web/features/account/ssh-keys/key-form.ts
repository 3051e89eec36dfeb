import { SshKeyCreate } from '#shared/api/people/ssh-keys.ts'
import { readPublicKey } from '#shared/rules/ssh/public-key.ts'
import { type Check, checked } from '../../../lib/forms/zod-resolver.ts'

export type KeyFields = { name: string; publicKey: string }

export const NAME_MAX = 60

/** The server's own checks: what is no public key, a private one above all, is never sent. */
export function checkKey(fields: KeyFields): Check {
  const parsed = SshKeyCreate.safeParse(fields)
  const reading = readPublicKey(fields.publicKey)
  return checked([
    ...(parsed.success ? [] : parsed.error.issues),
    ...(reading.ok ? [] : [{ path: ['publicKey'], message: reading.sentence }]),
  ])
}

/** The sentence about this name, where it is refused. */
export function nameRefusal(name: string): string | undefined {
  const parsed = SshKeyCreate.shape.name.safeParse(name)
  return parsed.success ? undefined : parsed.error.issues[0]?.message
}

/** The comment of a pasted key, which mostly says where the key is kept. */
export function suggestedName(publicKey: string): string {
  const reading = readPublicKey(publicKey)
  const comment = reading.ok ? reading.key.comment.slice(0, NAME_MAX) : ''
  return nameRefusal(comment) === undefined ? comment : ''
}

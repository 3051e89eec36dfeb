import { z } from 'zod'
import { nothing, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { OwnPassword } from './second-factor.ts'
import { Password } from './users.ts'

const NAME_MISSING = 'Please enter your username'
const WORDS_MISSING = 'Please enter the twelve words of your recovery kit'

export const Recover = z.object({
  username: z.string({ error: NAME_MISSING }).trim().min(1, NAME_MISSING).max(255, NAME_MISSING),
  /** In their order, as a list or as one text. Case, commas and line ends do not matter. */
  words: z.union(
    [
      z.string().trim().min(1).max(400),
      z
        .array(z.string().max(30))
        .min(1)
        .max(30)
        .transform((list) => list.join(' ')),
    ],
    { error: WORDS_MISSING },
  ),
  password: Password,
})

/** A recovery under way, and whether there are words for one. */
const Recovery = z.object({
  startedAt: Timestamp.nullable(),
  /** From then on the new password is in force; null while none is under way. */
  availableAt: Timestamp.nullable(),
  kitMadeAt: Timestamp.nullable(),
  /** How long a recovery waits for the owner's objection. */
  delayHours: z.number().int(),
})
export type Recovery = z.output<typeof Recovery>

export const recovery = {
  makeKit: route({
    method: 'POST',
    path: '/api/account/recovery-kit',
    access: 'client-in-person',
    needsProof: true,
    summary: 'Make twelve words that give this account a new password; earlier ones end',
    body: OwnPassword,
    response: z.object({ words: z.array(z.string()) }),
    limit: 'strict',
  }),
  begin: route({
    method: 'POST',
    path: '/api/auth/recover',
    access: 'public',
    summary: 'Set a new password by the words of a recovery kit; it is in force after a delay',
    body: Recover,
    response: z.object({ availableAt: Timestamp }),
    status: 202,
    limit: 'strict',
  }),
  state: route({
    method: 'GET',
    path: '/api/account/recovery',
    access: 'in-person',
    staff: 'look',
    summary: 'Whether a recovery of my account is under way, and whether it has a recovery kit',
    response: Recovery,
  }),
  stop: route({
    method: 'DELETE',
    path: '/api/account/recovery',
    access: 'in-person',
    staff: 'look',
    summary: 'Stop a recovery of my account; password and second factor stay as they are',
    response: nothing,
    status: 204,
  }),
}

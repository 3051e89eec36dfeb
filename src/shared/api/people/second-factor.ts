import { z } from 'zod'
import { PASSWORD_MAX } from '../../rules/people/password-length.ts'
import { nothing, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Assertion } from './webauthn.ts'

const CODE_MISSING = 'Please enter the code of your authenticator app, or a recovery code'

/** Of the app or, where it is lost, of the paper. Spaces and hyphens do not matter. */
const Code = z.string({ error: CODE_MISSING }).trim().min(1, CODE_MISSING).max(40, CODE_MISSING)

/** A code, or a passkey in its place. */
export const Proof = z.object({ code: Code.optional(), passkey: Assertion.optional() })
export type Proof = z.output<typeof Proof>

/**
 * A person who signed in a few minutes ago need not repeat the password. In an older session it is
 * asked for: one that was left open must not be enough to lock its owner out.
 */
export const OwnPassword = z.object({
  password: z
    .string({ error: 'Please enter your password' })
    .max(PASSWORD_MAX, 'Please enter your password')
    .optional(),
})

const TurnOff = z.object({
  password: z
    .string({ error: 'Please enter your password' })
    .min(1, 'Please enter your password')
    .max(PASSWORD_MAX, 'Please enter your password'),
  code: Code,
})

const SecondFactor = z.object({
  isOn: z.boolean(),
  since: Timestamp.nullable(),
  /** How many recovery codes are left. */
  codesLeft: z.number().int(),
  /** The operators of this installation must have one. */
  isRequired: z.boolean(),
})
export type SecondFactor = z.output<typeof SecondFactor>

export const secondFactor = {
  state: route({
    method: 'GET',
    path: '/api/account/totp',
    access: 'in-person',
    staff: 'look',
    beforeSecondFactor: true,
    summary: 'Whether my second factor is on, and how many recovery codes are left',
    response: SecondFactor,
  }),
  begin: route({
    method: 'POST',
    path: '/api/account/totp',
    access: 'in-person',
    staff: 'look',
    beforeSecondFactor: true,
    summary: 'A new secret for an authenticator app; in force once a code confirmed it',
    body: OwnPassword,
    response: z.object({ secret: z.string(), uri: z.string() }),
    limit: 'strict',
  }),
  confirm: route({
    method: 'POST',
    path: '/api/account/totp/confirm',
    access: 'in-person',
    staff: 'look',
    beforeSecondFactor: true,
    idempotent: true,
    summary: 'Turn the second factor on by a first code; the recovery codes are shown this once',
    body: z.object({ code: Code }),
    response: z.object({ recoveryCodes: z.array(z.string()) }),
    limit: 'strict',
  }),
  prove: route({
    method: 'POST',
    path: '/api/account/totp/proof',
    access: 'in-person',
    staff: 'look',
    summary: 'Enter a code again, or use a passkey, before an action that asks for a recent one',
    body: Proof.refine(({ code, passkey }) => code ?? passkey, CODE_MISSING),
    response: nothing,
    status: 204,
    limit: 'strict',
  }),
  turnOff: route({
    method: 'DELETE',
    path: '/api/account/totp',
    access: 'in-person',
    staff: 'look',
    summary: 'Turn my second factor off; its recovery codes and passkeys end with it',
    body: TurnOff,
    response: nothing,
    status: 204,
    limit: 'strict',
  }),
}

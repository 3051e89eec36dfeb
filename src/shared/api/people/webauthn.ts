import { z } from 'zod'

/** No answer of an authenticator is longer: a key of RSA and its id have about 1 500 characters. */
const LENGTH_MAX = 8000
const NOT_READ = 'This passkey could not be read. Please try again.'

const bytes = z
  .string({ error: NOT_READ })
  .regex(/^[\w-]+$/, NOT_READ)
  .max(LENGTH_MAX, NOT_READ)

const credential = {
  id: bytes,
  rawId: bytes,
  type: z.literal('public-key', { error: NOT_READ }),
}

/** What an authenticator answers when it makes a passkey. What it says of the device is not taken. */
export const NewCredential = z.object(
  { ...credential, response: z.object({ clientDataJSON: bytes, attestationObject: bytes }) },
  { error: NOT_READ },
)
export type NewCredential = z.output<typeof NewCredential>

/** What an authenticator answers when it signs. */
export const Assertion = z.object(
  {
    ...credential,
    response: z.object({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }),
  },
  { error: NOT_READ },
)
export type Assertion = z.output<typeof Assertion>

const Known = z.array(z.object({ id: z.string(), type: z.literal('public-key') }))

/** For `navigator.credentials.create`. */
export const CreationOptions = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.number(), type: z.literal('public-key') })),
  timeout: z.number(),
  attestation: z.literal('none'),
  excludeCredentials: Known,
  authenticatorSelection: z.object({
    residentKey: z.literal('discouraged'),
    userVerification: z.literal('preferred'),
  }),
})
export type CreationOptions = z.output<typeof CreationOptions>

/** For `navigator.credentials.get`. */
export const RequestOptions = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.number(),
  allowCredentials: Known,
  userVerification: z.literal('preferred'),
})
export type RequestOptions = z.output<typeof RequestOptions>

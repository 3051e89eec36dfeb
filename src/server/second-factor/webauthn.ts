import type { Assertion, NewCredential } from '#shared/api/people/webauthn.ts'
import { AppError } from '#shared/errors.ts'
import type { RelyingParty } from './relying-party.ts'

export const WRONG_PASSKEY =
  'This passkey was not accepted. Try again, or enter a code of your authenticator app.'

/** Ed25519, ES256 and RS256: between them every authenticator knows one. */
export const ALGORITHMS = [-8, -7, -257]

/** Loaded with the first passkey: it takes 8 MB, and most accounts have none. */
const library = () => import('@simplewebauthn/server')
const helpers = () => import('@simplewebauthn/server/helpers')

/** The challenge that an answer claims to have signed; undefined if it cannot be read. */
export function challengeOf({ response }: Assertion | NewCredential): string | undefined {
  try {
    const data: unknown = JSON.parse(
      Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'),
    )
    const { challenge } = Object(data) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    // Not JSON, so no browser wrote it.
    return undefined
  }
}

type Expected = { challenge: string; party: RelyingParty }

const asExpected = ({ challenge, party }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: party.origin,
  expectedRPID: party.id,
  // The password came before: holding the authenticator is enough. Asked for where it has it.
  requireUserVerification: false,
})

/** Reads a new passkey; refuses one that was not made for this challenge and this address. */
export async function readNewCredential(credential: NewCredential, expected: Expected) {
  const { verifyRegistrationResponse } = await library()
  const { decodeAttestationObject } = await helpers()
  return await orRefusal('This passkey could not be added. Please try again.', async () => {
    const { attestationObject } = credential.response
    refuseCertificates(decodeAttestationObject(bytesOf(attestationObject)))
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...asExpected(expected),
      response: { ...credential, clientExtensionResults: {} },
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) throw new Error('the signature is not valid')
    const { id, publicKey, counter } = registrationInfo.credential
    return {
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
    }
  })
}

type Attestation = ReturnType<Awaited<ReturnType<typeof helpers>>['decodeAttestationObject']>

/**
 * No certificate was asked for, and browsers send none then. One that a forger sends can name an
 * address at which the library would ask whether it was withdrawn.
 */
function refuseCertificates(attestation: Attestation): void {
  const format = attestation.get('fmt')
  const isBare = format === 'none' || format === 'packed'
  if (isBare && attestation.get('attStmt').get('x5c') === undefined) return
  throw new Error(`an attestation of the format ${format} was not asked for`)
}

/** The counter of a valid signature; refuses any other. Whether it went up is not judged here. */
export async function counterOfAssertion(
  assertion: Assertion,
  { credentialId, publicKey }: { credentialId: string; publicKey: string },
  expected: Expected,
): Promise<number> {
  const { verifyAuthenticationResponse } = await library()
  return await orRefusal(WRONG_PASSKEY, async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...asExpected(expected),
      response: { ...assertion, clientExtensionResults: {} },
      credential: { id: credentialId, publicKey: bytesOf(publicKey), counter: 0 },
    })
    if (!verified) throw new Error('the signature is not valid')
    return authenticationInfo.newCounter
  })
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

/** The library throws for everything that is wrong with an answer. */
async function orRefusal<T>(sentence: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw refused(sentence, error)
  }
}

export const refused = (sentence: string, cause?: unknown) =>
  new AppError('INVALID_INPUT', sentence, { details: { reason: 'passkey' }, cause })

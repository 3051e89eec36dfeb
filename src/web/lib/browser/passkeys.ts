import type {
  Assertion,
  CreationOptions,
  NewCredential,
  RequestOptions,
} from '#shared/api/people/webauthn.ts'

/** False in Tor Browser and Mullvad Browser, which switch passkeys off, and without https. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function'

const library = () => import('@simplewebauthn/browser')

/** Lets a device make a passkey; throws an error that says what to do. */
export async function makePasskey(optionsJSON: CreationOptions): Promise<NewCredential> {
  const { startRegistration } = await library()
  try {
    const { id, rawId, type, response } = await startRegistration({ optionsJSON })
    // Not what the browser tells of the device besides.
    const { clientDataJSON, attestationObject } = response
    return { id, rawId, type, response: { clientDataJSON, attestationObject } }
  } catch (error) {
    throw readable(error)
  }
}

/** Lets a device sign; throws an error that says what to do. */
export async function signWithPasskey(optionsJSON: RequestOptions): Promise<Assertion> {
  const { startAuthentication } = await library()
  try {
    const { id, rawId, type, response } = await startAuthentication({ optionsJSON })
    const { clientDataJSON, authenticatorData, signature } = response
    return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature } }
  } catch (error) {
    throw readable(error)
  }
}

const SENTENCES: Record<string, string> = {
  InvalidStateError: 'This device has a passkey for this account already.',
  SecurityError: 'Passkeys do not work at this address. Open the site by its usual address.',
}

/** Browsers hide whether a passkey was missing, the person said no, or it took too long. */
const NOT_USED = 'No passkey was used. Try again, or enter a code of your authenticator app.'

const readable = (cause: unknown): Error =>
  new Error((cause instanceof Error && SENTENCES[cause.name]) || NOT_USED, { cause })

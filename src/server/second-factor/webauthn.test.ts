import { expect, test } from 'vitest'
import { createAuthenticator } from './testing/authenticator.ts'
import { challengeOf, readNewCredential } from './webauthn.ts'

const party = { id: 'hush.example', origin: 'https://hush.example', name: 'Hushbox' }
const options = {
  challenge: 'aGVsbG8',
  rp: party,
  user: { id: 'dXNlcg', name: 'Laptop', displayName: 'Laptop' },
  pubKeyCredParams: [],
  timeout: 1000,
  attestation: 'none' as const,
  excludeCredentials: [],
  authenticatorSelection: {
    residentKey: 'discouraged' as const,
    userVerification: 'preferred' as const,
  },
}
const expected = { challenge: options.challenge, party }

test('a new passkey without an attestation is read', async () => {
  const device = createAuthenticator()
  const read = await readNewCredential(device.create(options), expected)
  expect(read).toMatchObject({ credentialId: device.id, counter: 0 })
})

test.each([
  ['apple', new Map()],
  ['android-key', new Map()],
  ['packed', new Map([['x5c', [Buffer.from('a certificate')]]])],
])(
  'one of the format %s with a certificate is not passed to the library',
  async (format, statement) => {
    const credential = createAuthenticator().create(options, { format, statement })
    await expect(readNewCredential(credential, expected)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      cause: { message: `an attestation of the format ${format} was not asked for` },
    })
  },
)

test('an answer that no browser wrote has no challenge', () => {
  const response = (text: string) => ({
    ...createAuthenticator().create(options),
    response: { clientDataJSON: Buffer.from(text).toString('base64url'), attestationObject: 'x' },
  })
  for (const text of ['', 'null', '{', '[]', '{"challenge":7}']) {
    expect(challengeOf(response(text))).toBeUndefined()
  }
})

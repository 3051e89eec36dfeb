import { expect, test } from 'vitest'
import { relyingPartyOf } from './relying-party.ts'

const at = (publicUrl: string | undefined) =>
  relyingPartyOf({ publicUrl, port: 3000, brandName: 'Hushbox' })

test.each([
  ['https://shop.example', { id: 'shop.example', origin: 'https://shop.example' }],
  ['https://shop.example:8443/x', { id: 'shop.example', origin: 'https://shop.example:8443' }],
  ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  [undefined, { id: 'localhost', origin: 'http://localhost:3000' }],
])('passkeys at %s are for its host and its origin', (publicUrl, expected) => {
  expect(at(publicUrl)).toEqual({ ...expected, name: 'Hushbox' })
})

test.each(['http://shop.example', 'http://x.onion', 'https://192.0.2.1', 'https://[2001:db8::1]'])(
  'no browser offers passkeys at %s',
  (publicUrl) => expect(at(publicUrl)).toBeUndefined(),
)

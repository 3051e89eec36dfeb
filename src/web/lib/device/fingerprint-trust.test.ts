import { expect, test } from 'vitest'
import { COLOURS, type Telling, tellsApart } from './fingerprint-trust.ts'

const desktop: Telling = {
  hostname: 'vps.example',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  drawn: COLOURS,
  timeZone: 'Europe/Berlin',
  cores: 8,
}

test('an ordinary desktop browser has a unique fingerprint', () => {
  expect(tellsApart(desktop)).toBe(true)
})

test.each<[string, Partial<Telling>]>([
  ['on an onion address', { hostname: 'hushboxhushbox.onion' }],
  ['with a blocked canvas', { drawn: undefined }],
  ['with a blank canvas', { drawn: COLOURS.map(() => 255) }],
  ['with a noisy canvas', { drawn: COLOURS.map((part, n) => (n === 5 ? part + 1 : part)) }],
  ['with a canvas cut short', { drawn: COLOURS.slice(4) }],
  ['that is a phone like many others', { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)' }],
  ['that masks its traits', { timeZone: 'UTC', cores: 2 }],
])('a browser %s has no unique fingerprint', (_what, change) => {
  expect(tellsApart({ ...desktop, ...change })).toBe(false)
})

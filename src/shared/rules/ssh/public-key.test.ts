import { describe, expect, test } from 'vitest'
import { fingerprintOf, readPublicKey } from './public-key.ts'
import { PUBLIC_KEYS, REFUSED_KEYS } from './testing/public-keys.ts'

const { ed25519, rsa } = PUBLIC_KEYS
const base64 = ed25519.publicKey.split(' ')[1]

const sentenceFor = (text: string) => {
  const reading = readPublicKey(text)
  return reading.ok ? undefined : reading.sentence
}

describe.each(Object.entries(PUBLIC_KEYS))('a key of ssh-keygen (%s)', (_, known) => {
  const [type] = known.publicKey.split(' ')

  test.each([
    ['without a comment', '', ''],
    ['with a comment', ' robin@laptop', 'robin@laptop'],
    ['with a comment of several words', '  the old  laptop\t', 'the old laptop'],
    ['with a line end', '\r\n', ''],
  ])('is read %s', (_how, after, comment) => {
    expect(readPublicKey(known.publicKey + after)).toEqual({
      ok: true,
      key: { type, publicKey: known.publicKey, comment },
    })
  })

  test('has the fingerprint that ssh-keygen prints', async () => {
    expect(await fingerprintOf(known.publicKey)).toBe(known.fingerprint)
  })
})

test('blanks around and inside the line are not part of the key', () => {
  expect(readPublicKey(`\n  ssh-ed25519\t\u00a0 ${base64}  `)).toMatchObject({
    key: { publicKey: ed25519.publicKey },
  })
})

describe('something else is refused with what to do', () => {
  const PRIVATE = 'This is a private key. Paste the line that begins with ssh-… from the .pub file.'

  test.each([
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n-----END',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA',
    '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIEpAIBAAKCAQEA',
    '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56wAA',
    'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 2',
    'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW',
  ])('a private key: %j', (text) => {
    expect(sentenceFor(text)).toBe(PRIVATE)
  })

  test.each([
    ['', 'Please paste a public key'],
    [' \n', 'Please paste a public key'],
    [
      `ssh-rsa ${REFUSED_KEYS.rsa1024.split(' ')[1]}`,
      'RSA below 2048 bits is refused. Make a new key: ssh-keygen -t ed25519',
    ],
    [REFUSED_KEYS.dsa, 'DSA is refused: it is broken. Make a new key: ssh-keygen -t ed25519'],
    [REFUSED_KEYS.certificate, 'This is a certificate. Paste the public key that it certifies.'],
    [
      `${ed25519.publicKey} a\n${rsa.publicKey} b`,
      'These are several keys. Add them one at a time.',
    ],
    [`ssh-ed25519\n${base64}`, 'A public key is one line. Remove the line breaks.'],
    [
      `command="/bin/true",no-pty ${ed25519.publicKey}`,
      'Remove what is before ssh-ed25519: only the key is accepted.',
    ],
    [`host.example ${rsa.publicKey}`, 'Remove what is before ssh-rsa: only the key is accepted.'],
  ])('%j', (text, sentence) => {
    expect(sentenceFor(text)).toBe(sentence)
  })

  test.each([
    [`---- BEGIN SSH2 PUBLIC KEY ----\n${base64}\n---- END SSH2 PUBLIC KEY ----`, /PuTTYgen/],
    ['-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA', /not the format of SSH/],
    ['-----BEGIN RSA PUBLIC KEY-----\nMIIBCgKCAQEA', /not the format of SSH/],
    ['# my keys\nthe laptop', /^This is not a public key/],
    [`${base64}`, /^This is not a public key/],
    [`ssh-ed448 ${base64}`, /^This is not a public key/],
    ['hello', /^This is not a public key/],
    ['\u0000\ud800', /^This is not a public key/],
    ['constructor toString', /^This is not a public key/],
  ])('%j: %s', (text, sentence) => {
    expect(sentenceFor(text)).toMatch(sentence)
  })
})

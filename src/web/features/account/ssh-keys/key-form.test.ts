import { expect, test } from 'vitest'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { checkKey, nameRefusal, suggestedName } from './key-form.ts'

const { publicKey } = PUBLIC_KEYS.ed25519

const sentencesFor = (name: string, text: string) => {
  const check = checkKey({ name, publicKey: text })
  return check.success ? [] : check.error.issues.map(({ message }) => message)
}

test.each([
  ['laptop', publicKey, []],
  ['', publicKey, ['Please name the key']],
  ['laptop', 'hello', [expect.stringMatching(/^This is not a public key/)]],
  ['x'.repeat(61), publicKey, ['Please use at most 60 characters']],
])('%s, %s: %j', (name, text, sentences) => {
  expect(sentencesFor(name, text)).toEqual(sentences)
})

test('the first sentence about no key at all is the shortest', () => {
  expect(sentencesFor('laptop', ' ')[0]).toBe('Please paste a public key')
})

test.each([
  [`${publicKey} robin@laptop`, 'robin@laptop'],
  [`${publicKey} ${'x'.repeat(80)}`, 'x'.repeat(60)],
  [publicKey, ''],
  ['not a key', ''],
  [`${publicKey} a\u0007b`, ''],
])('the name suggested for %j is %j', (text, name) => {
  expect(suggestedName(text)).toBe(name)
})

test('a name is one that the server takes', () => {
  expect([nameRefusal('laptop'), nameRefusal(' ')]).toEqual([undefined, 'Please name the key'])
})

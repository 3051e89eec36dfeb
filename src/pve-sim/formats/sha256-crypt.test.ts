import { expect, test } from 'vitest'
import { sha256Crypt } from './sha256-crypt.ts'

test.each([
  ['Hello world!', 'saltstring', '5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5'],
  ['short', 'abcdef012345', 'xJN1V8wJR8AGprQUTU9oSKVwdeCZtlftk9C29bSIuMB'],
  [
    'a password of forty characters, or so, xyz',
    'abcdef012345',
    's8ScTKOemjaWMxZJf30cHk/Ahr8jeE.CdnUsjVU6D3A',
  ],
  ['pässwort', 'abcdef012345', 'QInPPayrfJJVaFYuLN3Ea0.clryoVOiO6FvdY0v6Sc9'],
])('hashes %j as crypt(3) does', (password, salt, hash) => {
  expect(sha256Crypt(password, salt)).toBe(`$5$${salt}$${hash}`)
})

import { expect, test } from 'vitest'
import { sha512Crypt } from './sha512-crypt.ts'

/** The first is of the specification; all are what `openssl passwd -6` prints. */
test.each([
  [
    'Hello world!',
    'saltstring',
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  ],
  [
    'x',
    'abcdefghijklmnop',
    '$6$abcdefghijklmnop$4MjOne1jVRKP4IuHRPFedC4vlQHNjvcBfQJVlfB8ciQ5YUzW2g81Pyw4sptw4femJ071/eApI0WDsBAOOCmTl0',
  ],
  [
    'pässwörd-ü',
    'abcdefghijklmnop',
    '$6$abcdefghijklmnop$6eYL9po.6fRuumbukLh1.FkP7yenZoesKakIWjjxqXlnmngp7IAzP.nffZrU5QJyjPTAq46dgV.ul5KV7ogek0',
  ],
  [
    'a'.repeat(200),
    'abcdefghijklmnop',
    '$6$abcdefghijklmnop$gQkYRWfta4iF60eDreWGuHbilwMPVnEbL66RDZNW1..QKqDJWKrAvvyiIP806nETPz.mJHJAf4ZLEr4KhQChC/',
  ],
])('%s with the salt %s', (password, salt, hash) => {
  expect(sha512Crypt(password, salt)).toBe(hash)
})

test('a new salt every time, so that equal passwords do not look equal', () => {
  const [one, two] = [sha512Crypt('hunter2'), sha512Crypt('hunter2')]
  expect(one).toMatch(/^\$6\$[./0-9A-Za-z]{16}\$[./0-9A-Za-z]{86}$/)
  expect(one).not.toBe(two)
  expect(sha512Crypt('hunter2', one.split('$')[2])).toBe(one)
})

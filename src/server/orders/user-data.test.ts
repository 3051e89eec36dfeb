import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { STARTERS } from '#shared/rules/user-data/starters.ts'
import { USER_DATA_BYTES } from '#shared/rules/user-data/user-data.ts'
import { systemRandom } from '../lib/random.ts'
import { createKeyring } from '../secrets/keyring.ts'
import { openUserData, sealUserData, yamlProblem } from './user-data.ts'

const HEAD = '#cloud-config\n'

describe('the YAML of a cloud-config', () => {
  test.each(STARTERS.map(({ name, text }) => [name, text]))('%s is fine', (_, text) => {
    expect(yamlProblem(text)).toBeUndefined()
  })

  test.each([
    ['a script is not judged', '#!/bin/sh\necho "[[['],
    ['a document mark after the head', `${HEAD}---\npackages: [git]\n`],
    ['Windows line ends', '#cloud-config\r\npackages:\r\n  - git\r\n'],
    ['anchors and aliases', `${HEAD}a: &x [1, 2]\nb: *x\n`],
    ['a key that only a part repeats', `${HEAD}a:\n  k: 1\nb:\n  k: 1\n`],
  ])('%s', (_, text) => {
    expect(yamlProblem(text)).toBeUndefined()
  })

  test.each([
    [`${HEAD}packages:\n  - git\n - curl\n`, /^Line 4: /],
    [`${HEAD}a: "open\n`, /^Line 3: Missing closing/],
    [`${HEAD}a: 1\nb: 2\na: 3\n`, 'Line 4: This setting is there twice.'],
    [`${HEAD}a: 1\n---\nb: 2\n`, /^Line 3: /],
    [HEAD, /such as "packages:"/],
    [`${HEAD}- git\n`, /such as "packages:"/],
    [`${HEAD}just words\n`, /such as "packages:"/],
    [`${HEAD}a: *nothing\n`, /stands for an anchor/],
  ])('%j is refused with the place and the reason', (text, problem) => {
    expect(yamlProblem(text)).toMatch(problem)
  })

  test('a message does not quote the text: it may be a secret', () => {
    for (const text of [
      'a: }hunter2',
      '%hunter2\n',
      'a: "\\hunter2"',
      'a: |hunter2\n  x',
      '}hunter2',
    ])
      expect(yamlProblem(HEAD + text) ?? '').not.toContain('hunter2')
  })

  const fill = (part: string) =>
    HEAD + part.repeat(Math.floor((USER_DATA_BYTES - HEAD.length) / part.length))
  const aliases = 'bcdefghi'
    .split('')
    .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`)

  test.each([
    ['brackets', fill('[')],
    ['braces', fill('{a: ')],
    ['dashes', fill('- ')],
    ['complex keys', fill('? ')],
    ['an alias bomb', `${HEAD}a: &a [x,x,x,x,x,x,x,x,x]\n${aliases.join('\n')}`],
  ])('%s are refused before they cost time', (_, text) => {
    expect(yamlProblem(text)).toMatch(/nested too deeply/)
  })

  test('thousands of keys are read in one pass', () => {
    const keys = Array.from({ length: 4500 }, (_, n) => `k${n}:`).join('\n')
    expect(yamlProblem(HEAD + keys)).toBeUndefined()
    expect(yamlProblem(`${HEAD}${keys}\nk7:`)).toBe('Line 4502: This setting is there twice.')
  })

  test('any text gets a sentence or nothing, and no exception', () => {
    const letters = ' \n\t:-?[]{}&*!|>%@"\'`#,abc01\\<=~.'
    for (let round = 0; round < 300; round += 1) {
      const text = [...randomBytes(60)].map((byte) => letters[byte % letters.length]).join('')
      const problem = yamlProblem(HEAD + text)
      if (problem !== undefined) expect(problem, JSON.stringify(text)).toMatch(/^[A-Z].+\.$/s)
    }
  })
})

test('what is sealed opens in its own place only, and bad YAML is not sealed', () => {
  const keyring = createKeyring('k'.repeat(40))
  const secrets = { keyring, random: systemRandom }
  const sealed = sealUserData('#!/bin/sh\nhunter2\n', secrets)
  expect(JSON.stringify(sealed)).not.toContain('hunter2')
  expect(openUserData(keyring, sealed)).toBe('#!/bin/sh\nhunter2\n')
  expect(() => openUserData(keyring, { ...sealed, id: 'another' })).toThrow(/another row/)
  expect(() => sealUserData(`${HEAD}a: [`, secrets)).toThrow(AppError)
})

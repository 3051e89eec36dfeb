import { describe, expect, test } from 'vitest'
import { domainName, zoneName } from './domain-name.ts'
import { defaultName, patternProblem } from './name-pattern.ts'

describe('the name of a host', () => {
  test.each([
    [' Mail.Example.ORG. ', 'mail.example.org'],
    ['a.b', 'a.b'],
    ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['9.example', '9.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ])('%j is %s', (text, expected) => {
    expect(domainName(text)).toBe(expected)
  })

  test.each([
    '',
    'localhost',
    'mail..example',
    '.example.org',
    'mail.example.org..',
    '-mail.example',
    'mail-.example',
    'ma_il.example',
    'münchen.example',
    '203.0.113.5',
    'mail.example.5',
    'mail.example.org IN A',
    '*.example.org',
    `${'a'.repeat(64)}.example`,
    Array.from({ length: 64 }, () => 'abc').join('.'),
  ])('%j is none', (text) => {
    expect(domainName(text)).toBeUndefined()
  })

  test.each([
    ['113.0.203.IN-ADDR.ARPA.', '113.0.203.in-addr.arpa'],
    ['0/25.113.0.203.in-addr.arpa', '0/25.113.0.203.in-addr.arpa'],
    ['a zone', undefined],
    ['', undefined],
  ])('the zone %j is stored as %s', (text, expected) => {
    expect(zoneName(text)).toBe(expected)
  })
})

describe('a pattern of names', () => {
  test.each([
    ['{a}-{b}-{c}-{d}.vps.example', '203.0.113.5', '203-0-113-5.vps.example'],
    ['{ip}.vps.example', '203.0.113.5', '203-0-113-5.vps.example'],
    ['{d}.{c}.{b}.{a}.vps.example', '203.0.113.5', '5.113.0.203.vps.example'],
    ['{ip}.six.example', '2001:db8::5', '2001-db8-0-0-0-0-0-5.six.example'],
    ['{ip}.six.example', 'nonsense', undefined],
  ])('%s names %s', (pattern, address, expected) => {
    expect(defaultName(pattern, address)).toBe(expected)
  })

  test.each([
    ['{a}-{b}-{c}-{d}.vps.example', 4],
    ['{ip}.vps.example', 4],
    ['{ip}.vps.example', 6],
  ] as const)('%s is one for IPv%i', (pattern, family) => {
    expect(patternProblem(pattern, family)).toBeUndefined()
  })

  test.each([
    ['{a}-{b}-{c}.vps.example', 4],
    ['vps.example', 4],
    ['{ip}', 4],
    ['{ip}-{x}.vps.example', 4],
    ['{ip}{x}.vps.example', 4],
    ['{ip}.vps example', 4],
    ['{a}-{b}-{c}-{d}.vps.example', 6],
    ['{ip}{ip}.vps.example', 6],
  ] as const)('%s is none for IPv%i', (pattern, family) => {
    expect(patternProblem(pattern, family)).toMatch(/^A pattern is a name that holds the address/)
  })
})

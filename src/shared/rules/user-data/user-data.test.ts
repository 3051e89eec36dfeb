import { expect, test } from 'vitest'
import { STARTERS } from './starters.ts'
import { USER_DATA_BYTES, userDataProblem, userDataRefusal } from './user-data.ts'

test.each([
  '#cloud-config',
  '#cloud-config\npackages: [git]\n',
  '#cloud-config \t\r\npackages: [git]\r\n',
  '#!/bin/sh\necho hello',
  '#! /usr/bin/env python3\n',
  ...STARTERS.map(({ text }) => text),
])('%j may be user data', (text) => {
  expect(userDataProblem(text)).toBeUndefined()
})

test.each([
  '',
  ' #cloud-config',
  '#cloud-config-archive\n- a',
  '#cloud-boothook\n',
  '#include https://example.com',
  '#!',
  '#!bash',
  '\ufeff#cloud-config\n',
  'echo hello',
])('%j is told what the first line must be', (text) => {
  expect(userDataProblem(text)).toMatch(/^The first line says what it is/)
})

test('its size counts in bytes, and it is text', () => {
  const head = '#!/bin/sh\n#'
  const left = USER_DATA_BYTES - head.length
  expect(userDataProblem(head + 'x'.repeat(left))).toBeUndefined()
  expect(userDataProblem(head + 'x'.repeat(left + 1))).toMatch(/32 KiB/)
  expect(userDataProblem(head + 'ü'.repeat(left / 2 + 1))).toMatch(/32 KiB/)
  expect(userDataProblem(`${head}\0`)).toMatch(/control characters/)
  expect(userDataProblem(`${head}\x1b[31m`)).toMatch(/control characters/)
})

test('Windows and servers that run already take none', () => {
  expect(userDataRefusal({ osType: 'Debian 12', isReady: false })).toBeUndefined()
  expect(userDataRefusal({ osType: 'Debian 12', isReady: true })).toMatch(/runs already/)
  expect(userDataRefusal({ osType: 'Windows Server 2022', isReady: false })).toMatch(/Windows/)
})

import { expect, test } from 'vitest'
import { firstUserOf, holdsSystem } from './system-of-template.ts'

test.each([
  ['debian-12', 'Debian 12', true],
  ['ubuntu-22.04', 'Ubuntu 22.04', true],
  ['tmpl_Rocky.Linux-9_cloud', 'Rocky Linux 9', true],
  ['debian-12', 'Debian 1', false],
  ['debian-11', 'Debian 12', false],
  ['debian-12', '', false],
])('%s holds %s: %s', (template, system, holds) => {
  expect(holdsSystem(template, system)).toBe(holds)
})

test.each([
  ['Debian 12', 'debian'],
  ['Windows Server 2025', 'Administrator'],
  ['Alpine', 'root'],
])('%s: %s signs in first', (system, user) => {
  expect(firstUserOf(system)).toBe(user)
})

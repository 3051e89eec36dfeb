import { expect, test } from 'vitest'
import { isDemoGuest, knownHostOf, sshCommand, sshPortOf } from './ssh-port.ts'

test('a server answers SSH on port 22', () => {
  expect(sshPortOf('203.0.113.7')).toBe(22)
  expect(knownHostOf('box.example')).toBe('box.example')
  expect(sshCommand('debian', '203.0.113.7')).toBe('ssh debian@203.0.113.7')
})

test('a real guest of the demo has a port of its own', () => {
  expect(sshPortOf('127.77.0.60')).toBe(2222)
  expect(isDemoGuest('127.77.0.60')).toBe(true)
  expect(isDemoGuest('127.0.0.1')).toBe(false)
  expect(knownHostOf('127.77.0.60')).toBe('[127.77.0.60]:2222')
  expect(sshCommand('debian', '127.77.0.60')).toBe('ssh -p 2222 debian@127.77.0.60')
})

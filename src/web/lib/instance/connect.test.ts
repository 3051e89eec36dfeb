import { expect, test } from 'vitest'
import { addressOf, connectionOf } from './connect.ts'

const server = {
  domain: 'box.example.org',
  clientIpAddress: '198.51.100.7',
  ipAddress: '10.0.0.7',
  username: 'debian',
  osType: 'Debian 12',
}

test('the address is the domain, else the client address, else the address of the VM', () => {
  expect(addressOf(server)).toBe('box.example.org')
  expect(addressOf({ ...server, domain: '' })).toBe('198.51.100.7')
  expect(addressOf({ ...server, domain: null, clientIpAddress: null })).toBe('10.0.0.7')
  expect(addressOf({ domain: null, clientIpAddress: null, ipAddress: null })).toBeUndefined()
})

test('a connection is a line to type, or for Windows an address to open', () => {
  expect(connectionOf(server)).toEqual({ how: 'SSH', text: 'ssh debian@box.example.org' })
  expect(connectionOf({ ...server, osType: 'Windows Server 2025' })).toEqual({
    how: 'Remote Desktop',
    text: 'box.example.org',
  })
  expect(
    connectionOf({ ...server, domain: null, clientIpAddress: null, ipAddress: null }),
  ).toBeUndefined()
})

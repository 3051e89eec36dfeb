import { expect, test } from 'vitest'
import { directConsoleAddress, readVnc } from './console-address.ts'

const vnc = { host: 'h', port: 443, vmid: 101, node: 'pve1', ticket: 'a+b/c=' }

test('both shapes of the reply are read alike', () => {
  expect(readVnc({ success: true, vnc })).toEqual(vnc)
  expect(readVnc(vnc)).toEqual(vnc)
})

test.each([
  [{ ...vnc, port: undefined }, 'Invalid VNC response: missing port'],
  [{ ...vnc, ticket: '' }, 'Invalid VNC response: missing ticket'],
  [{ success: true }, 'Invalid VNC response: missing port and ticket'],
])('%j is refused', (reply, problem) => {
  expect(readVnc(reply)).toEqual({ problem })
})

test.each([
  [{ protocol: 'https:', hostname: 'page' }, vnc, 'https://h:8006/'],
  [{ protocol: 'http:', hostname: 'page' }, { ...vnc, host: undefined }, 'http://page:8006/'],
])('the direct address of %j', (page, facts, start) => {
  const address = directConsoleAddress(page, facts)
  expect(address).toBe(`${start}?console=kvm&vmid=101&node=pve1&resize=scale&token=a%2Bb%2Fc%3D`)
})

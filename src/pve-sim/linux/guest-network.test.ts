import { expect, test } from 'vitest'
import type { Vm } from '../state/types.ts'
import { guestAddress, networkOption } from './guest-network.ts'

const vm = (config: Record<string, string>) => ({ config }) as Vm

test.each([
  [{ ipconfig0: 'ip=127.77.0.10/24,gw=127.77.0.1' }, '127.77.0.10'],
  [{ ipconfig0: 'gw=127.77.0.1,ip=127.77.0.250/24', ostype: 'l26' }, '127.77.0.250'],
  [{ ipconfig0: 'ip=127.77.0.10/24', ostype: 'win11' }, undefined],
  [{ ipconfig0: 'ip=127.77.1.10/24' }, undefined],
  [{ ipconfig0: 'ip=203.0.113.10/24' }, undefined],
  [{ ipconfig0: 'ip=dhcp' }, undefined],
  [{}, undefined],
])('a VM with %j is a real guest at %j', (config, address) => {
  expect(guestAddress(vm(config))).toBe(address)
})

test('a guest is reached at its own address only, and reaches nothing itself', () => {
  expect(networkOption('127.77.0.10')).toBe(
    'user,id=network,restrict=on,ipv6=off,hostfwd=tcp:127.77.0.10:2222-10.0.2.15:22,hostfwd=tcp:127.77.0.10:8080-10.0.2.15:80',
  )
})

import { expect, it } from 'vitest'
import { proxmoxClient } from './client.ts'
import { discoverAddresses } from './discover.ts'
import { startFakePve } from './testing/fake-pve.ts'
import type { InspectedCertificate } from './transport/tls.ts'
import { ProxmoxError } from './wire/errors.ts'

const certificate = (fingerprint: string): InspectedCertificate => ({
  fingerprint,
  pem: `pem of ${fingerprint}`,
  subject: '',
  issuer: '',
  names: [],
  validFrom: new Date(0),
  validTo: new Date(0),
})

it('learns the other nodes, and trusts only certificates that the pinned node vouches for', async () => {
  const node = (name: string, ip: string) => ({ type: 'node', name, id: name, ip, online: 1 })
  const fake = await startFakePve(({ path }) => {
    if (path === '/nodes') {
      const vouched = { a: 'AA:AA', b: 'BB:BB', c: 'CC:CC' }
      const nodes = Object.entries(vouched)
      return {
        data: nodes.map(([name, print]) => ({
          node: name,
          status: 'online',
          ssl_fingerprint: print,
        })),
      }
    }
    return {
      data: [
        node('a', '192.0.2.1'),
        node('b', '192.0.2.2'),
        node('c', '192.0.2.3'),
        node('d', '192.0.2.4'),
      ],
    }
  })
  const client = proxmoxClient({
    hosts: [{ host: '127.0.0.1', port: fake.port }],
    pin: fake.pin,
    auth: { kind: 'token', tokenId: 'vps@pve!app', secret: 'uuid' },
  })
  const shown: Record<string, string> = { '192.0.2.1': 'AA:AA', '192.0.2.2': 'EE:EE' }
  const found = await discoverAddresses(client, {
    port: 8006,
    inspect: async (host) => {
      const print = shown[host]
      if (print) return certificate(print)
      throw new ProxmoxError({ kind: 'unreachable', reason: 'timeout' }, host)
    },
  })
  expect(found).toEqual([
    {
      host: '192.0.2.1',
      port: 8006,
      node: 'a',
      pin: { fingerprint: 'AA:AA', pem: 'pem of AA:AA' },
    },
  ])
  await client.close()
  await fake.close()
})

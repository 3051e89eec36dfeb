import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { testApp } from '../../testing/test-app.ts'

describe('a pool', async () => {
  const t = await testApp({ sim: true })
  const admin = t.as(await t.make.admin())
  const create = (change: object) =>
    admin.attempt(api.pools.create, {
      body: {
        clusterId: t.cluster.id,
        name: 'Named',
        family: 4,
        cidr: '198.51.100.0/24',
        gateway: '198.51.100.1',
        ranges: [],
        reserved: [],
        bridge: 'vmbr0',
        nameservers: ['9.9.9.9'],
        searchDomain: 'test.example',
        ...change,
      },
    })
  const NAMED = { rdns: '100.51.198.IN-ADDR.arpa.', rdnsPattern: '{ip}.vps.example' }

  test('stores its zone and its pattern in one way of writing', async () => {
    expect(await create(NAMED)).toMatchObject({
      status: 201,
      body: { rdns: '100.51.198.in-addr.arpa', rdnsPattern: '{ip}.vps.example' },
    })
  })

  test.each([
    [{ rdns: 'a zone' }, 'rdns', /looks like 113\.0\.203\.in-addr\.arpa/],
    [{ rdns: '113.0.203.in-addr.arpa' }, 'rdns', /must hold the whole network/],
    [{ rdns: null }, 'rdns', /enter the reverse zone too/],
    [{ rdnsPattern: 'vps.example' }, 'rdnsPattern', /holds the address/],
  ])('with %j is refused at the field', async (change, path, message) => {
    expect(await create({ ...NAMED, ...change })).toMatchObject({
      status: 400,
      body: { details: [{ path, message: expect.stringMatching(message) }] },
    })
  })
})

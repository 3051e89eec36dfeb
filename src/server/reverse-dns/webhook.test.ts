import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startStandIn } from '../payments/testing/stand-in-server.ts'
import { atEnd } from '../testing/at-end.ts'
import { webhook } from './webhook.ts'

const INSIDE = { allowsLoopback: true, allowsPlainInside: true }

describe('a webhook', async () => {
  const given = { status: 204 }
  const server = await startStandIn(() => ({ status: given.status, body: undefined }))
  atEnd(() => server.close())
  const clock = { now: () => new Date('2026-11-17T00:00:00Z') }
  const our = webhook({ url: `${server.url}/names`, key: 'a secret', clock }, INSIDE)
  const record = { name: '5.113.0.203.in-addr.arpa', address: '203.0.113.5', hostname: null }

  test('gets the address and the name, signed', async () => {
    await our.tell(record)
    const [asked] = server.asked.splice(0)
    expect(asked).toMatchObject({ method: 'POST', path: '/names' })
    const {
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': signature,
    } = asked?.headers ?? {}
    expect(JSON.parse(asked?.body ?? '')).toEqual({ type: 'reverse-dns', ...record })
    expect(at).toBe('1794873600')
    const made = createHmac('sha256', 'a secret').update(`${id}.${at}.${asked?.body}`)
    expect(signature).toBe(`v1,${made.digest('base64')}`)
  })

  test('may have a secret in base64, as Standard Webhooks writes it', async () => {
    const key = `whsec_${Buffer.from('bytes').toString('base64')}`
    await webhook({ url: server.url, key, clock }, INSIDE).check([])
    const [asked] = server.asked.splice(0)
    const {
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': signature,
    } = asked?.headers ?? {}
    const made = createHmac('sha256', 'bytes').update(`${id}.${at}.{"type":"test"}`)
    expect(signature).toBe(`v1,${made.digest('base64')}`)
  })

  test.each([
    [401, 'away', 'The webhook does not accept our signature.'],
    [404, 'away', 'The webhook answered 404.'],
    [422, 'rejected', 'The webhook answered 422.'],
    [302, 'away', 'The webhook answered 302.'],
    [500, 'away', 'The webhook answered 500.'],
  ])('that answers %i has not taken the name', async (status, fault, message) => {
    given.status = status
    await expect(our.tell(record)).rejects.toMatchObject({ fault, message })
    given.status = 204
  })
})

import { describe, expect, test } from 'vitest'
import { atEnd } from '../testing/at-end.ts'
import { createForwardCheck } from './forward-check.ts'
import { type DnsRecord, startNameServer } from './testing/name-server.ts'

const RECORDS: DnsRecord[] = [
  { name: 'mail.example.org.', type: 'A', content: '198.51.100.9' },
  { name: 'mail.example.org.', type: 'A', content: '203.0.113.5' },
  { name: 'mail.example.org.', type: 'AAAA', content: '2001:db8::5' },
  { name: 'four.example.org.', type: 'A', content: '203.0.113.5' },
]

describe('a name', async () => {
  const dns = await startNameServer(() => RECORDS)
  atEnd(() => dns.close())
  const check = createForwardCheck([dns.address])

  test.each([
    ['mail.example.org', '203.0.113.5'],
    ['mail.example.org', '2001:db8::5'],
  ])('%s is confirmed for %s', async (name, address) => {
    await expect(check(name, address)).resolves.toBeUndefined()
  })

  test.each([
    [
      'mail.example.org',
      '203.0.113.6',
      /leads to 198\.51\.100\.9, 203\.0\.113\.5, not to 203\.0\.113\.6\. Add an A record/,
    ],
    ['mail.example.org', '2001:db8::6', /Add an AAAA record for 2001:db8::6/],
    [
      'four.example.org',
      '2001:db8::5',
      /^four\.example\.org has no AAAA record for 2001:db8::5\. Add it/,
    ],
    [
      'none.example.org',
      '203.0.113.5',
      /^none\.example\.org has no A record for 203\.0\.113\.5\. Add it/,
    ],
  ])('%s is refused for %s', async (name, address, message) => {
    await expect(check(name, address)).rejects.toMatchObject({
      code: 'NOT_FORWARD_CONFIRMED',
      status: 422,
      message: expect.stringMatching(message),
      details: [{ path: 'hostname' }],
    })
  })

  test.each([
    ['silent', /did not answer in time\. Nothing was changed/],
    ['servfail', /answered with an error \(SERVFAIL\)\. Nothing was changed/],
  ] as const)('whose name servers are %s is not said to have no record', async (mode, message) => {
    dns.faults.mode = mode
    const asked = check('mail.example.org', '203.0.113.5')
    await expect(asked).rejects.toMatchObject({
      code: 'NOT_FORWARD_CONFIRMED',
      message: expect.stringMatching(message),
    })
    dns.faults.mode = undefined
  })
})

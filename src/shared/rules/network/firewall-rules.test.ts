import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FirewallBody } from '../../api/servers/firewall.ts'
import { incomingOf, MOST_RULES, portsRefusal } from './firewall-rules.ts'
import { FIREWALL_STARTERS } from './firewall-starters.ts'

const SSH = { direction: 'in', action: 'ACCEPT', protocol: 'tcp', ports: '22' } as const
const read = (rule: object, more: object = {}) =>
  FirewallBody.safeParse({ rules: [{ ...SSH, ...rule }], ...more })
const said = (rule: object) => read(rule).error?.issues.map(({ message }) => message)
const stored = (rule: object) => read(rule).data?.rules[0]

describe('a rule of a client', () => {
  test.each([
    [{ ports: '80, 443' }, { ports: '80,443' }],
    [{ ports: '8000-8100' }, { ports: '8000:8100' }],
    [{ ports: '8000:8100,22' }, { ports: '8000:8100,22' }],
    [{ ports: '' }, { ports: undefined }],
    [{ action: 'accept' }, { action: 'ACCEPT' }],
    [{ source: '203.0.113.7' }, { source: '203.0.113.7' }],
    [{ source: ' 203.0.113.7/24 ' }, { source: '203.0.113.0/24' }],
    [{ source: '2001:DB8:0:0::7/48' }, { source: '2001:db8::/48' }],
    [{ source: '0.0.0.0/0' }, { source: '0.0.0.0/0' }],
    [{ protocol: 'icmpv6', ports: undefined, source: '::/0' }, { source: '::/0' }],
    [{ direction: 'out', destination: '198.51.100.1' }, { destination: '198.51.100.1' }],
    [
      { protocol: undefined, ports: undefined },
      { direction: 'in', action: 'ACCEPT' },
    ],
    [{ comment: ' from home ' }, { comment: 'from home' }],
  ])('%j is stored as %j', (rule, expected) => {
    expect(stored(rule)).toMatchObject(expected)
  })

  test.each([
    [{ direction: 'forward' }, 'The direction of a rule is in or out.'],
    [{ action: 'GROUP' }, 'The action of a rule is ACCEPT, DROP or REJECT.'],
    [{ action: 7 }, 'The action of a rule is ACCEPT, DROP or REJECT.'],
    [{ protocol: 'sctp' }, 'The protocol of a rule is one of tcp, udp, icmp, icmpv6, esp, gre.'],
    [{ ports: 'ssh' }, 'Ports look like 443, 8000-8100, or 80,443.'],
    [{ ports: '80,' }, 'Ports look like 443, 8000-8100, or 80,443.'],
    [{ ports: '0' }, 'A port is a number from 1 to 65535.'],
    [{ ports: '65536' }, 'A port is a number from 1 to 65535.'],
    [{ ports: '1-65536' }, 'A port is a number from 1 to 65535.'],
    [{ ports: '90-80' }, 'The range 90-80 runs backwards: write 80-90.'],
    [
      { ports: '1-2,3-4,5-6,7-8,9-10,11-12,13-14,15,16' },
      'One rule takes at most 15 ports; a range counts as two. Make a second rule.',
    ],
    [{ protocol: undefined }, 'Only TCP and UDP have ports: choose one, or leave them out.'],
    [{ protocol: 'icmp' }, 'Only TCP and UDP have ports: choose one, or leave them out.'],
    [
      { source: 'home.example.org' },
      'Give an address or a network: 203.0.113.7, 203.0.113.0/24, 2001:db8::7 or 2001:db8::/48.',
    ],
    [
      { source: '203.0.113.7/33' },
      'Give an address or a network: 203.0.113.7, 203.0.113.0/24, 2001:db8::7 or 2001:db8::/48.',
    ],
    [
      { source: '+ipfilter-net0' },
      'Give an address or a network: 203.0.113.7, 203.0.113.0/24, 2001:db8::7 or 2001:db8::/48.',
    ],
    [
      { protocol: 'icmp', ports: '', source: '2001:db8::1' },
      'ICMP is of IPv4: give an IPv4 address, or none.',
    ],
    [
      { direction: 'out', protocol: 'icmpv6', ports: '', destination: '203.0.113.1' },
      'ICMPv6 is of IPv6: give an IPv6 address, or none.',
    ],
    [
      { direction: 'out', source: '203.0.113.7' },
      'An outgoing rule has no source: it always comes from this server.',
    ],
    [
      { destination: '203.0.113.7' },
      'An incoming rule has no destination: it always goes to this server.',
    ],
    [{ comment: 'x'.repeat(101) }, 'A comment has at most 100 characters.'],
    [{ comment: 'two\nlines' }, 'A comment is one line of plain text.'],
  ])('%j is refused: %s', (rule, sentence) => {
    expect(said(rule)).toEqual([sentence])
  })

  test('is one of fifty at most', () => {
    const rules = (count: number) => ({ rules: Array.from({ length: count }, () => SSH) })
    expect(FirewallBody.safeParse(rules(MOST_RULES)).success).toBe(true)
    const many = FirewallBody.safeParse(rules(MOST_RULES + 1))
    expect(many.error?.issues[0]?.message).toBe('A server has at most 50 rules.')
  })
})

test('where nothing is said, the rest is refused if a rule lets something in', () => {
  expect(read({}).data?.incoming).toBe('DROP')
  expect(read({ direction: 'out' }).data?.incoming).toBe('ACCEPT')
  expect(read({ action: 'DROP' }).data?.incoming).toBe('ACCEPT')
  expect(read({}, { incoming: 'accept' }).data?.incoming).toBe('ACCEPT')
  expect(incomingOf([])).toBe('ACCEPT')
})

test('ports that are taken are ports that Proxmox takes', () => {
  const port = fc.integer({ min: 1, max: 65_535 })
  const range = fc.tuple(port, port).map(([a, b]) => `${Math.min(a, b)}:${Math.max(a, b)}`)
  const item = fc.oneof(port.map(String), range)
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 20 }), (items) => {
      const count = items.reduce((sum, one) => sum + (one.includes(':') ? 2 : 1), 0)
      expect(portsRefusal(items.join(',')) === undefined).toBe(count <= 15)
    }),
  )
})

test('every starter can be sent as it is', () => {
  for (const { firewall } of FIREWALL_STARTERS) {
    expect(FirewallBody.parse(firewall)).toEqual(firewall)
  }
})

import { expect, test } from 'vitest'
import type { ClientRule } from '#shared/rules/network/firewall-rules.ts'
import { draftOf, firewallOf, isSame, withMoved, withoutRule, withRule } from './draft.ts'
import { ruleText } from './rule-words.ts'

const SSH: ClientRule = { direction: 'in', action: 'ACCEPT', protocol: 'tcp', ports: '22' }
const WEB: ClientRule = { ...SSH, ports: '80,8000:8100', source: '203.0.113.0/24' }
const OUT: ClientRule = { direction: 'out', action: 'DROP' }
const draft = draftOf({ incoming: 'DROP', rules: [SSH, WEB] })
const keys = draft.rules.map(({ key }) => key)
const ports = (given: typeof draft) => given.rules.map((rule) => rule.ports)

test('a rule moves one place, and not beyond the ends', () => {
  const [first = 0, second = 0] = keys
  expect(ports(withMoved(draft, first, 1))).toEqual(['80,8000:8100', '22'])
  expect(ports(withMoved(draft, second, -1))).toEqual(['80,8000:8100', '22'])
  expect(withMoved(draft, first, -1)).toBe(draft)
  expect(withMoved(draft, second, 1)).toBe(draft)
})

test('a rule is added at the end, replaced in its place, and removed', () => {
  expect(withRule(draft, OUT).rules).toHaveLength(3)
  expect(withRule(draft, OUT).rules.at(-1)).toMatchObject(OUT)
  expect(withRule(draft, OUT, keys[0]).rules[0]).toEqual({ ...OUT, key: keys[0] })
  expect(ports(withoutRule(draft, keys[0] ?? 0))).toEqual(['80,8000:8100'])
})

test('an edited rule whose place is gone is added at the end, not thrown away', () => {
  const edited = withRule(draft, OUT, (keys[0] ?? 0) - 1)
  expect(firewallOf(edited).rules).toEqual([SSH, WEB, OUT])
})

test('only what was changed is to be applied', () => {
  const firewall = { incoming: 'DROP' as const, rules: [SSH, WEB] }
  expect(isSame(draft, firewall)).toBe(true)
  expect(isSame({ ...draft, incoming: 'ACCEPT' }, firewall)).toBe(false)
  expect(firewallOf(draft)).toEqual(firewall)
})

test('a rule is said in words', () => {
  expect(ruleText(SSH)).toBe('TCP 22 from anywhere')
  expect(ruleText(WEB)).toBe('TCP 80, 8000-8100 from 203.0.113.0/24')
  expect(ruleText(OUT)).toBe('Any protocol to anywhere')
  expect(ruleText({ ...OUT, protocol: 'udp', destination: '::/0' })).toBe('UDP to ::/0')
})

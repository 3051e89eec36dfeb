import { expect, test } from 'vitest'
import { checkRule, EMPTY_RULE, fieldsOf, ruleOf } from './rule-form.ts'

const said = (fields: Partial<typeof EMPTY_RULE>) => {
  const result = checkRule({ ...EMPTY_RULE, ...fields })
  return result.success ? [] : result.error.issues.map(({ path, message }) => [path[0], message])
}

test('a rule that was typed is the one that is sent, and typed again', () => {
  const typed = { ...EMPTY_RULE, ports: '80, 8000-8100', place: '203.0.113.7/24' }
  const rule = ruleOf(typed)
  expect(rule).toEqual({
    direction: 'in',
    action: 'ACCEPT',
    protocol: 'tcp',
    ports: '80,8000:8100',
    source: '203.0.113.0/24',
  })
  expect(ruleOf(fieldsOf(rule))).toEqual(rule)
})

test('the other end of what goes out is its destination', () => {
  const rule = ruleOf({ ...EMPTY_RULE, direction: 'out', place: '2001:DB8::1' })
  expect(rule).toMatchObject({ destination: '2001:db8::1' })
  expect(fieldsOf(rule).place).toBe('2001:db8::1')
})

test('ports of a protocol without them are left out', () => {
  expect(ruleOf({ ...EMPTY_RULE, protocol: 'icmp', ports: '22' })).toEqual({
    direction: 'in',
    action: 'ACCEPT',
    protocol: 'icmp',
  })
})

test('each mistake is said at its field', () => {
  expect(said({ ports: '99999' })).toEqual([['ports', 'A port is a number from 1 to 65535.']])
  expect(said({ place: 'home' })[0]?.[0]).toBe('place')
  expect(said({ direction: 'out', place: 'home' })[0]?.[0]).toBe('place')
  expect(said({ protocol: 'icmp', place: '::1' })).toEqual([
    ['place', 'ICMP is of IPv4: give an IPv4 address, or none.'],
  ])
})

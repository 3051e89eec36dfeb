import { describe, expect, test } from 'vitest'
import { DUTIES, hasDuty, isStaffRole, mayManage, ROLES } from './roles.ts'

describe('a role', () => {
  test('has these duties and no other', () => {
    const held = ROLES.map((role) => [role, DUTIES.filter((duty) => hasDuty(role, duty))])
    expect(Object.fromEntries(held)).toEqual({
      admin: ['look', 'help', 'money', 'run', 'own'],
      operator: ['look', 'help', 'money', 'run'],
      support: ['look', 'help'],
      billing: ['look', 'money'],
      viewer: ['look'],
      client: [],
    })
  })

  test('is given by those who have all its duties', () => {
    const given = ROLES.map((own) => [own, ROLES.filter((other) => mayManage(own, other))])
    expect(Object.fromEntries(given)).toEqual({
      admin: ['admin', 'operator', 'support', 'billing', 'viewer', 'client'],
      operator: ['operator', 'support', 'billing', 'viewer', 'client'],
      support: ['support', 'viewer', 'client'],
      billing: ['billing', 'viewer', 'client'],
      viewer: ['viewer', 'client'],
      client: ['client'],
    })
  })

  test.each(['auditor', 'owner', '', 'constructor', '__proto__'])(
    'that is unknown (%s) has no duty',
    (role) => {
      expect(isStaffRole(role)).toBe(false)
      expect(DUTIES.some((duty) => hasDuty(role, duty))).toBe(false)
    },
  )

  test('of every kind but client belongs to the staff', () => {
    expect(ROLES.filter((role) => !isStaffRole(role))).toEqual(['client'])
  })
})

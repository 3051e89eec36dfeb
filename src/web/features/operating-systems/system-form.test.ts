import { expect, test } from 'vitest'
import { checkSystem, fieldsOf } from './system-form.ts'

test('a name is required', () => {
  const result = checkSystem({ name: '  ', description: '' })
  expect(result.error?.issues[0]?.message).toBe('OS name is required')
})

test('a description is optional', () => {
  const system = { id: 1, name: 'Debian 12', description: null, isActive: true, createdAt: '' }
  expect(checkSystem(fieldsOf(system)).success).toBe(true)
})

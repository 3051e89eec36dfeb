import { expect, test } from 'vitest'
import { bodyOf, checkTemplate, fieldsOf } from './template-form.ts'

const config = { memory: 2048, cores: 2, description: 'Debian', onboot: 1 as const }

test('a loaded record can be sent back unchanged', () => {
  expect(bodyOf(fieldsOf(config))).toEqual(config)
})

test('empty figures are omitted, an empty description is sent', () => {
  const fields = { memory: ' ', cores: '', description: '', onboot: false }
  expect(bodyOf(fields)).toEqual({ description: '', onboot: 0 })
  expect(checkTemplate(fields).success).toBe(true)
})

test.each([
  [{ memory: '8' }, 'Memory must be a whole number, at least 16 MB'],
  [{ memory: 'much' }, 'Memory must be a whole number, at least 16 MB'],
  [{ cores: '1.5' }, 'Cores must be a whole number from 1 to 128'],
])('%o is refused', (change, sentence) => {
  const result = checkTemplate({ ...fieldsOf(config), ...change })
  expect(result.success === false && result.error.issues[0]?.message).toBe(sentence)
})

import { expect, test } from 'vitest'
import { instanceName, statusTone, statusWord } from './instance-status.ts'

test.each([
  ['running', 'good', 'Running'],
  ['stopped', 'bad', 'Stopped'],
  ['suspended', 'warn', 'Suspended'],
  ['paused', 'idle', 'Paused'],
  ['unknown', 'idle', 'Unknown'],
  [undefined, 'idle', 'Unknown'],
])('%s is %s and reads %s', (status, tone, word) => {
  expect(statusTone(status)).toBe(tone)
  expect(statusWord(status)).toBe(word)
})

test('an instance without a name is called by its VM id', () => {
  expect(instanceName({ name: '', vmId: 104 })).toBe('VM-104')
  expect(instanceName({ name: 'web', vmId: 104 })).toBe('web')
})

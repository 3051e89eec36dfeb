import { expect, test } from 'vitest'
import { errorFrom, noAnswer } from '../../api/api-error.ts'
import { failureOf, problemOf } from './console-words.ts'

test('the server’s own sentence is shown', () => {
  const error = errorFrom(409, 'Conflict', '{"code":"INVALID_STATE","message":"It is off."}')
  expect(failureOf(error)).toEqual({
    toast: { title: 'Console access failed', description: 'It is off.' },
    message: 'It is off.',
  })
})

test('a failure without a sentence shows the one of the specification', () => {
  expect(failureOf(errorFrom(502, 'Bad Gateway', '<html>')).message).toBe(
    'Failed to get console access',
  )
})

test('a missing answer is a failure to connect', () => {
  expect(failureOf(noAnswer()).toast).toEqual({
    title: 'Console Error',
    description: 'Failed to connect to console',
  })
})

test('an answer without port or ticket is an error, and never ready', () => {
  expect(problemOf({ success: true, vnc: { host: 'x' } })).toEqual({
    toast: {
      tone: 'bad',
      title: 'Console Error',
      description: 'Failed to get VNC connection details',
    },
    message: 'Invalid VNC response: missing port and ticket',
  })
  expect(problemOf({ port: 5900, ticket: 't' })).toBeUndefined()
})

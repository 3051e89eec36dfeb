import { expect, test } from 'vitest'
import { errorFrom, isSessionLost, noAnswer, sentenceOf, serverSentence } from './api-error.ts'

const body = '{"code":"TOKEN_TAKEN","message":"Somebody was faster."}'

test('the message is status, colon and text; people read the sentence of the body', () => {
  const error = errorFrom(409, 'Conflict', body)
  expect(error.message).toBe(`409: ${body}`)
  expect(error.body?.code).toBe('TOKEN_TAKEN')
  expect(sentenceOf(error)).toBe('Somebody was faster.')
})

test('an empty answer falls back to the status text', () => {
  expect(errorFrom(404, 'Not Found', '').message).toBe('404: Not Found')
})

test('the HTML page of a proxy is never shown to people', () => {
  const error = errorFrom(502, 'Bad Gateway', '<html>nginx</html>')
  expect(error.body).toBeUndefined()
  expect(serverSentence(error)).toBeUndefined()
  expect(sentenceOf(error)).toContain('on our side')
})

test('a call without an answer has its own sentence', () => {
  expect(sentenceOf(noAnswer())).toMatch(/^The server did not answer\./)
})

test('a wrong password is not a lost session', () => {
  const wrong = '{"code":"INVALID_CREDENTIALS","message":"No."}'
  expect(isSessionLost(errorFrom(401, 'Unauthorized', wrong))).toBe(false)
  expect(isSessionLost(errorFrom(401, 'Unauthorized', ''))).toBe(true)
  expect(isSessionLost(errorFrom(403, 'Forbidden', ''))).toBe(false)
})

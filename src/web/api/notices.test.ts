import { expect, test } from 'vitest'
import { errorFrom, NO_ANSWER, noAnswer } from './api-error.ts'
import { doneNotice, failedNotice } from './notices.ts'

const refused = errorFrom(409, 'Conflict', '{"code":"IN_USE","message":"It is in use."}')

test('success shows its title, or nothing', () => {
  expect(doneNotice('Saved')).toEqual({ title: 'Saved' })
  expect(doneNotice(undefined)).toBeUndefined()
  expect(doneNotice((name: string) => ({ title: `Hello ${name}` }), 'Ada')).toEqual({
    title: 'Hello Ada',
  })
})

test("failure shows the server's reason under the title of the action", () => {
  expect(failedNotice('Delete failed', refused)).toEqual({
    tone: 'bad',
    title: 'Delete failed',
    description: 'It is in use.',
  })
  expect(failedNotice(undefined, noAnswer())).toEqual({
    tone: 'bad',
    title: 'Error',
    description: NO_ANSWER,
  })
})

test("the action's own description is shown when the server gave none", () => {
  const saying = { title: 'Update failed', description: 'Failed to update user.' }
  expect(failedNotice(saying, refused)?.description).toBe('It is in use.')
  expect(failedNotice(saying, noAnswer())?.description).toBe('Failed to update user.')
})

test('a function decides the text itself', () => {
  expect(failedNotice(() => undefined, refused)).toBeUndefined()
  expect(failedNotice(() => ({ title: 'No' }), refused)).toEqual({ tone: 'bad', title: 'No' })
})

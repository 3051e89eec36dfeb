import { describe, expect, test } from 'vitest'
import type { Token } from '#shared/api/shop/tokens.ts'
import { checkInstance, EMPTY_INSTANCE, usableTokens } from './create-form.ts'

const filled = { ...EMPTY_INSTANCE, tokenId: '4', name: 'web', clientUserId: '7' }
const first = (fields: typeof filled) => checkInstance(fields).error?.issues[0]?.message

describe('the form', () => {
  test.each([
    [{ tokenId: '' }, 'Please select a token'],
    [{ name: ' ' }, 'Instance name is required'],
    [{ clientUserId: '' }, 'Please select or create a client'],
    [{ client: 'new' as const }, 'Email is required when creating new client'],
    [{ client: 'new' as const, email: 'nobody' }, 'Valid email required'],
  ])('%o is refused', (change, sentence) => {
    expect(first({ ...filled, ...change })).toBe(sentence)
  })

  test('accepts an existing client, or a new one by e-mail', () => {
    expect(first(filled)).toBeUndefined()
    const fresh = { ...filled, client: 'new' as const, clientUserId: '', email: 'a@b.example' }
    expect(first(fresh)).toBeUndefined()
  })
})

test('only tokens without an owner can be used', () => {
  const token = (id: number, status: string, assignedUserId: number | null) =>
    ({ id, status, assignedUserId }) as Token
  const tokens = [
    token(1, 'available', null),
    token(2, 'ready', null),
    token(3, 'ready', 5),
    token(4, 'assigned', 5),
    token(5, 'expired', null),
  ]
  expect(usableTokens(tokens).map(({ id }) => id)).toEqual([1, 2])
})

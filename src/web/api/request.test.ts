import { describe, expect, test } from 'vitest'
import { pathOf, searchOf } from '#shared/api/parts/request.ts'
import { isKeyAbout, isKeyOf, keyOf } from './request.ts'

const token = { path: '/api/tokens/:id' } as const
const list = { path: '/api/instances' } as const

describe('a request', () => {
  test('fills and encodes parameters', () => {
    expect(pathOf(token, { params: { id: 7 } })).toBe('/api/tokens/7')
    expect(pathOf(token, { params: { id: 'a/b' } })).toBe('/api/tokens/a%2Fb')
  })

  test('omits query parameters that are not given', () => {
    expect(searchOf({ nodeId: 3, action: undefined, name: '' })).toBe('?nodeId=3')
    expect(searchOf()).toBe('')
  })

  test('has a key that starts with its path', () => {
    expect(keyOf(list)).toEqual(['/api/instances'])
    expect(keyOf(list, { query: { nodeId: 3 } })).toEqual(['/api/instances', { nodeId: 3 }])
  })
})

describe('a key', () => {
  test('belongs to its route only', () => {
    expect(isKeyOf(token, ['/api/tokens/7'])).toBe(true)
    expect(isKeyOf(token, ['/api/tokens'])).toBe(false)
    expect(isKeyOf(list, ['/api/instances', { nodeId: 3 }])).toBe(true)
    expect(isKeyOf(list, [{}])).toBe(false)
  })

  test('covers every noun in its path', () => {
    expect(isKeyAbout('tokens', ['/api/client/tokens'])).toBe(true)
    expect(isKeyAbout('tokens', ['/api/marketplace/tokens'])).toBe(true)
    expect(isKeyAbout('operatingSystems', ['/api/operating-systems'])).toBe(true)
    expect(isKeyAbout('tokens', ['/api/instances'])).toBe(false)
  })
})

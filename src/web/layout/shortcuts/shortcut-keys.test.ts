import { expect, test } from 'vitest'
import { shortcutOf } from './shortcut-keys.ts'

const press = (key: string, modifiers: object = {}) => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false },
  ...modifiers,
})
const free = { isTyping: false, hasSingleKeys: true }

test('the palette opens from anywhere, a field included', () => {
  expect(shortcutOf(press('k', { ctrlKey: true }), free)).toBe('palette')
  expect(shortcutOf(press('K', { metaKey: true }), { ...free, isTyping: true })).toBe('palette')
  expect(shortcutOf(press('k', { ctrlKey: true }), { ...free, hasSingleKeys: false })).toBe(
    'palette',
  )
})

test('single keys are letters while the user types, and do nothing when turned off', () => {
  expect(shortcutOf(press('?'), free)).toBe('help')
  expect(shortcutOf(press('/'), free)).toBe('search')
  for (const key of ['?', '/']) {
    expect(shortcutOf(press(key), { ...free, isTyping: true })).toBeUndefined()
    expect(shortcutOf(press(key), { ...free, hasSingleKeys: false })).toBeUndefined()
  }
})

test('other combinations belong to the browser', () => {
  expect(shortcutOf(press('k'), free)).toBeUndefined()
  expect(shortcutOf(press('/', { ctrlKey: true }), free)).toBeUndefined()
  expect(shortcutOf(press('k', { ctrlKey: true, altKey: true }), free)).toBeUndefined()
})

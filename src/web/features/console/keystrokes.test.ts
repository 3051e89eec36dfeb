import { expect, test } from 'vitest'
import { LAYOUTS, type LayoutId, likelyLayout } from './keyboard-layouts.ts'
import { difference, keystrokes } from './keystrokes.ts'
import { keysymOf } from './keysyms.ts'
import { pressFor } from './layout-keys.ts'

test.each([
  ['a', 0x61],
  ['ü', 0xfc],
  ['€', 0x010020ac],
  ['\n', 0xff0d],
  ['\t', 0xff09],
])('%j is key symbol %i', (character, keysym) => {
  expect(keysymOf(character)).toBe(keysym)
})

/** Key presses in words: Shift+Digit7, AltGr+KeyQ. */
function words(text: string, layout: LayoutId): string[] {
  const held: string[] = []
  const said: string[] = []
  for (const { code, isDown } of keystrokes(text, layout).strokes.flat()) {
    const name = { ShiftLeft: 'Shift', AltRight: 'AltGr' }[code ?? '']
    if (name && isDown) held.push(name)
    else if (name) held.pop()
    else if (isDown) said.push([...held, code].join('+'))
  }
  return said
}

test.each([
  ['us', '@', ['Shift+Digit2']],
  ['gb', '@', ['Shift+Quote']],
  ['de', '@', ['AltGr+KeyQ']],
  ['fr', '@', ['AltGr+Digit0']],
  ['us', '#', ['Shift+Digit3']],
  ['gb', '#', ['Backslash']],
  ['de', '#', ['Backslash']],
  ['fr', '#', ['AltGr+Digit3']],
  ['us', '/', ['Slash']],
  ['de', '/', ['Shift+Digit7']],
  ['fr', '/', ['Shift+Period']],
  ['us', '\\', ['Backslash']],
  ['gb', '\\', ['IntlBackslash']],
  ['de', '\\', ['AltGr+Minus']],
  ['fr', '\\', ['AltGr+Digit8']],
  ['us', '|', ['Shift+Backslash']],
  ['gb', '|', ['Shift+IntlBackslash']],
  ['de', '|', ['AltGr+IntlBackslash']],
  ['fr', '|', ['AltGr+Digit6']],
  ['de', '~', ['AltGr+BracketRight']],
  ['de', 'y', ['KeyZ']],
  ['de', 'z', ['KeyY']],
  ['de', 'µ', ['AltGr+KeyM']],
  ['fr', 'a', ['KeyQ']],
  ['fr', 'm', ['Semicolon']],
  ['fr', '5', ['Shift+Digit5']],
  ['fr', '€', ['AltGr+KeyE']],
  ['gb', '€', ['AltGr+Digit4']],
  ['de', '^', ['Backquote', 'Space']],
  ['de', '`', ['Shift+Equal', 'Space']],
  ['fr', '^', ['AltGr+Digit9']],
  ['fr', '`', ['AltGr+Digit7']],
] as const)('on a %s keyboard %s is %j', (layout, character, presses) => {
  expect(words(character, layout)).toEqual(presses)
})

const ASCII = Array.from({ length: 0x7f - 0x20 }, (_, n) => String.fromCharCode(0x20 + n)).join('')

test.each(LAYOUTS)('everything a shell needs is on the keyboard $id, each once', ({ id }) => {
  expect(keystrokes(ASCII, id).missing).toEqual([])
  const places = [...ASCII.slice(1)].map((character) => {
    const press = pressFor(id, character)
    return `${press?.modifier}+${press?.place}`
  })
  expect(new Set(places).size).toBe(places.length)
})

test('a character that is not on the keyboard is named, and the rest is typed', () => {
  const { strokes, missing } = keystrokes('naïve ☃ ☃', 'us')
  expect(missing).toEqual(['ï', '☃'])
  expect(strokes.length).toBe(6)
})

test('every line ends as one press of Enter, whatever system the text comes from', () => {
  expect(words('a\r\nb\rc\n', 'us')).toEqual(['KeyA', 'Enter', 'KeyB', 'Enter', 'KeyC', 'Enter'])
})

test('a machine that takes key symbols does not get the space after a dead key', () => {
  const symbols = keystrokes('^', 'de')
    .strokes.flat()
    .map(({ keysym }) => keysym)
  expect(symbols).toEqual([0x5e, 0x5e, 0, 0])
})

test.each([
  ['en-US', 'us'],
  ['en-GB', 'gb'],
  ['de-AT', 'de'],
  ['fr', 'fr'],
  ['ja-JP', 'us'],
])('a browser in %s most likely has a %s keyboard', (language, layout) => {
  expect(likelyLayout(language)).toBe(layout)
})

test.each([
  ['', 'a', 0, 'a'],
  ['ab', 'a', 1, ''],
  ['teh', 'the', 2, 'he'],
  ['a', 'a\n', 0, '\n'],
  ['x😀', 'x', 1, ''],
])('from %j to %j: erase %i, type %j', (before, after, erased, typed) => {
  expect(difference(before, after)).toEqual({ erased, typed })
})

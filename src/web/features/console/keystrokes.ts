import type { LayoutId } from './keyboard-layouts.ts'
import { keysymOf } from './keysyms.ts'
import { pressFor } from './layout-keys.ts'

/**
 * One key going down or up. Without a key symbol it is meant for machines that read only key
 * positions.
 */
export type KeyEvent = { keysym: number; code: string | null; isDown: boolean }

const SHIFT = { keysym: 0xffe1, code: 'ShiftLeft' }
const ALT_GR = { keysym: 0xfe03, code: 'AltRight' }
const PLAIN: Record<string, string> = { '\n': 'Enter', '\t': 'Tab', ' ': 'Space' }

type Key = Omit<KeyEvent, 'isDown'>

const tap = (key: Key): KeyEvent[] => [
  { ...key, isDown: true },
  { ...key, isDown: false },
]

const within = (modifier: Key, events: KeyEvent[]): KeyEvent[] => [
  { ...modifier, isDown: true },
  ...events,
  { ...modifier, isDown: false },
]

function strokesOf(character: string, layout: LayoutId): KeyEvent[] | undefined {
  const keysym = keysymOf(character)
  const plain = PLAIN[character]
  if (plain !== undefined) return tap({ keysym, code: plain })
  const press = pressFor(layout, character)
  if (press === undefined) return undefined
  const key = tap({ keysym, code: press.place })
  const pressed =
    press.modifier === 'plain' ? key : within(press.modifier === 'shift' ? SHIFT : ALT_GR, key)
  return press.isDead ? [...pressed, ...tap({ keysym: 0, code: 'Space' })] : pressed
}

/** The text as keystrokes on this keyboard, one list per character, and the characters it lacks. */
export function keystrokes(text: string, layout: LayoutId) {
  const strokes: KeyEvent[][] = []
  const missing = new Set<string>()
  for (const character of text.replaceAll(/\r\n?/g, '\n')) {
    const events = strokesOf(character, layout)
    if (events) strokes.push(events)
    else missing.add(character)
  }
  return { strokes, missing: [...missing] }
}

/**
 * What an on-screen keyboard did to a field: such keyboards report no keys, only a changed text,
 * and correct whole words afterwards.
 */
export function difference(before: string, after: string): { erased: number; typed: string } {
  const old = [...before]
  const now = [...after]
  let same = 0
  while (same < old.length && old[same] === now[same]) same += 1
  return { erased: old.length - same, typed: now.slice(same).join('') }
}

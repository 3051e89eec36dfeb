import { type RefObject, useRef } from 'react'
import { Button } from '../../ui/form/button.tsx'
import type { LayoutId } from './keyboard-layouts.ts'
import { difference, type KeyEvent, keystrokes } from './keystrokes.ts'

const BACKSPACE = { keysym: 0xff08, code: 'Backspace' }
/** Keys that on-screen keyboards lack and a server's screen needs. */
const EXTRA_KEYS = [
  { label: 'Esc', keysym: 0xff1b, code: 'Escape' },
  { label: 'Tab', keysym: 0xff09, code: 'Tab' },
  { label: '←', name: 'Left', keysym: 0xff51, code: 'ArrowLeft' },
  { label: '↑', name: 'Up', keysym: 0xff52, code: 'ArrowUp' },
  { label: '↓', name: 'Down', keysym: 0xff54, code: 'ArrowDown' },
  { label: '→', name: 'Right', keysym: 0xff53, code: 'ArrowRight' },
]
const CTRL = { keysym: 0xffe3, code: 'ControlLeft' }
const CTRL_C = [
  { ...CTRL, isDown: true },
  { keysym: 0x63, code: 'KeyC', isDown: true },
  { keysym: 0x63, code: 'KeyC', isDown: false },
  { ...CTRL, isDown: false },
]
/** Something to erase: in an empty field such a keyboard does not even report Backspace. */
const PADDING = '·'.repeat(40)

const tap = (key: { keysym: number; code: string }): KeyEvent[] => [
  { keysym: key.keysym, code: key.code, isDown: true },
  { keysym: key.keysym, code: key.code, isDown: false },
]

type TouchKeyboardProps = {
  layout: LayoutId
  onKeys: (events: KeyEvent[]) => void
  field: RefObject<HTMLTextAreaElement | null>
}

/** A field for a phone's on-screen keyboard, and the keys it lacks. */
export function TouchKeyboard({ layout, onKeys, field }: TouchKeyboardProps) {
  const seen = useRef(PADDING)
  const press = (events: KeyEvent[]) => {
    onKeys(events)
    field.current?.focus()
  }
  return (
    <div className="flex gap-1 overflow-x-auto border-t bg-card p-1.5 text-ink">
      <textarea
        ref={field}
        aria-label="Type on the server’s keyboard"
        autoCapitalize="off"
        autoCorrect="off"
        autoComplete="off"
        spellCheck={false}
        rows={1}
        // One line, with the cursor at its end: only there an erased character is the last one
        // typed.
        wrap="off"
        onFocus={({ currentTarget: { value }, currentTarget }) =>
          currentTarget.setSelectionRange(value.length, value.length)
        }
        defaultValue={PADDING}
        // 16 px: with a smaller font a phone zooms into the field.
        className="h-9 w-10 shrink-0 resize-none rounded-md border bg-sunken text-base text-transparent caret-ink"
        onInput={({ currentTarget }) => {
          const { erased, typed } = difference(seen.current, currentTarget.value)
          seen.current = currentTarget.value
          for (let n = 0; n < erased; n += 1) onKeys(tap(BACKSPACE))
          for (const events of keystrokes(typed, layout).strokes) onKeys(events)
        }}
        onBlur={({ currentTarget }) => {
          currentTarget.value = PADDING
          seen.current = PADDING
        }}
      />
      {EXTRA_KEYS.map((key) => (
        <Button
          key={key.label}
          size="icon"
          aria-label={key.name ?? key.label}
          onClick={() => press(tap(key))}
        >
          {key.label}
        </Button>
      ))}
      <Button size="sm" className="h-9 shrink-0" onClick={() => press(CTRL_C)}>
        Ctrl-C
      </Button>
    </div>
  )
}

import { type RefObject, useEffect, useRef, useState } from 'react'
import type { KeyEvent } from './keystrokes.ts'
import type { ScreenConnection } from './screen-connection.ts'

/**
 * QEMU gives a guest's keyboard this long for each press, and drops presses when the queue is too
 * long.
 */
const EVENT_MS = 10

/** Types at the pace of a keyboard, not of the network. */
export function useTyping(screen: RefObject<ScreenConnection | undefined>) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [left, setLeft] = useState(0)

  const stop = () => {
    clearTimeout(timer.current)
    setLeft(0)
  }
  useEffect(() => () => clearTimeout(timer.current), [])

  function type(strokes: readonly KeyEvent[][]) {
    const [next, ...rest] = strokes
    setLeft(strokes.length)
    if (!next) return
    for (const event of next) screen.current?.send(event)
    timer.current = setTimeout(() => type(rest), next.length * EVENT_MS)
  }
  return { type, stop, left }
}

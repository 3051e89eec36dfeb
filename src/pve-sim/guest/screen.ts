/** A text terminal of 80 by 25: what a VGA console shows. */

export const COLUMNS = 80
export const ROWS = 25
const TAB = 8

type Cell = { char: string; color: number }

export type Screen = ReturnType<typeof textScreen>

const GREY = 7

/** SGR codes we know: 0 and 39 back to grey, 30–37 and 90–97 colours. */
function colorAfter(code: number, before: number): number {
  if (code === 0 || code === 39) return GREY
  if (code >= 30 && code <= 37) return code - 30
  if (code >= 90 && code <= 97) return code - 90 + 8
  return before
}

export function textScreen() {
  const blank = (): Cell[] => Array.from({ length: COLUMNS }, () => ({ char: ' ', color: GREY }))
  let cells = Array.from({ length: ROWS }, blank)
  /** When each row last changed; a viewer remembers the last change it has seen. */
  const changedAt = new Array<number>(ROWS).fill(1)
  const watchers = new Set<() => void>()
  let version = 1
  let cursor = { row: 0, column: 0 }
  let color = GREY

  const touch = (row: number) => {
    changedAt[row] = version
  }

  function scroll(): void {
    cells = [...cells.slice(1), blank()]
    for (let row = 0; row < ROWS; row++) touch(row)
  }

  function newLine(): void {
    touch(cursor.row)
    cursor = { row: cursor.row + 1, column: 0 }
    if (cursor.row === ROWS) {
      cursor.row = ROWS - 1
      scroll()
    }
    touch(cursor.row)
  }

  function put(char: string) {
    if (char === '\n') return newLine()
    if (char === '\r') cursor.column = 0
    else if (char === '\b') cursor.column = Math.max(0, cursor.column - 1)
    else if (char === '\t')
      cursor.column = Math.min(COLUMNS - 1, (Math.floor(cursor.column / TAB) + 1) * TAB)
    else {
      if (cursor.column === COLUMNS) newLine()
      const line = cells[cursor.row]
      if (line) line[cursor.column] = { char, color }
      cursor.column++
    }
    touch(cursor.row)
  }

  function clear(): void {
    cells = Array.from({ length: ROWS }, blank)
    cursor = { row: 0, column: 0 }
    color = GREY
    for (let row = 0; row < ROWS; row++) touch(row)
  }

  const announce = () => {
    for (const watcher of watchers) watcher()
  }

  return {
    /** Text with newlines, backspaces and colour codes. */
    write(text: string): void {
      version++
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
      for (const part of text.split(/(\x1b\[[\d;]*m)/)) {
        if (part.startsWith('\x1b[')) {
          for (const code of part.slice(2, -1).split(';')) color = colorAfter(Number(code), color)
        } else for (const char of part) put(char)
      }
      announce()
    },
    clear(): void {
      version++
      clear()
      announce()
    },
    version: () => version,
    row: (index: number): Cell[] => cells[index] ?? [],
    cursor: () => cursor,
    changedSince: (seen: number) => changedAt.flatMap((at, row) => (at > seen ? [row] : [])),
    /** The screen as plain text. */
    text: () =>
      cells
        .map((line) =>
          line
            .map((cell) => cell.char)
            .join('')
            .trimEnd(),
        )
        .join('\n'),
    watch(watcher: () => void): () => void {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

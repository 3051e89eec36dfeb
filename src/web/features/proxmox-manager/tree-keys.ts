import type { TreeRow } from './tree-rows.ts'

/** What a key does in a tree, following the ARIA practices. */
export type TreeMove =
  | { act: 'go'; index: number }
  | { act: 'toggle'; row: TreeRow }
  | { act: 'choose'; row: TreeRow }

export function treeMove(rows: readonly TreeRow[], at: number, key: string): TreeMove | undefined {
  const row = rows[at]
  if (!row) return undefined
  const go = (index: number): TreeMove | undefined =>
    index >= 0 && index < rows.length && index !== at ? { act: 'go', index } : undefined
  switch (key) {
    case 'ArrowDown':
      return go(at + 1)
    case 'ArrowUp':
      return go(at - 1)
    case 'Home':
      return go(0)
    case 'End':
      return go(rows.length - 1)
    case 'ArrowRight':
      if (row.isExpanded === undefined) return undefined
      return row.isExpanded ? go(at + 1) : { act: 'toggle', row }
    case 'ArrowLeft':
      if (row.isExpanded) return { act: 'toggle', row }
      return go(rows.findIndex((one) => one.key === row.parent))
    case 'Enter':
    case ' ':
      return row.resource ? { act: 'choose', row } : { act: 'toggle', row }
    default:
      return key.length === 1 ? go(nextNamed(rows, at, key)) : undefined
  }
}

/** The next line that starts with this letter, wrapping around at the end. */
function nextNamed(rows: readonly TreeRow[], at: number, letter: string): number {
  const wanted = letter.toLowerCase()
  const isNamed = (row: TreeRow | undefined) => row?.label.toLowerCase().startsWith(wanted)
  for (let step = 1; step <= rows.length; step += 1) {
    const index = (at + step) % rows.length
    if (isNamed(rows[index])) return index
  }
  return -1
}

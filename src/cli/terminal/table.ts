import { pad, plain, widthOf } from './width.ts'

export type Cell = string | number | boolean | null | undefined
/** The heading of each column, and what a row has there. */
export type Columns<T> = Record<string, (row: T) => Cell>

const textOf = (cell: Cell): string => {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  const text = plain(String(cell ?? ''))
  return text === '' ? '-' : text
}

/** Columns as wide as their widest cell; the last one is not filled up. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => widthOf(row[at] ?? ''))),
  )
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : pad(cell, widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

const bold = (text: string) => `\u001b[1m${text}\u001b[22m`

/** A list of things, one per line. */
export function tableOf<T>(rows: readonly T[], columns: Columns<T>, hasColor: boolean): string {
  const body = rows.map((row) => Object.values(columns).map((cell) => textOf(cell(row))))
  const [head = '', ...lines] = aligned([Object.keys(columns), ...body])
  return `${[hasColor ? bold(head) : head, ...lines].join('\n')}\n`
}

/** One thing, a fact per line. */
export const factsOf = (facts: Record<string, Cell>): string =>
  `${aligned(Object.entries(facts).map(([name, cell]) => [name, textOf(cell)])).join('\n')}\n`

// biome-ignore-all lint/a11y/noRedundantRoles: `display` other than table's takes its meaning away
import clsx from 'clsx'
import type { ReactNode } from 'react'

export type Column<Row> = {
  title: string
  cell: (row: Row) => ReactNode
  /** Numbers and actions stand at the right. */
  isEnd?: boolean
  /** A width class; without one the content decides. */
  width?: string
  /** Under md, where rows are cards, the cell stands without its title. */
  isBare?: boolean
}

type TableProps<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
}

/** Under md each row becomes a card; the roles are written out so that it stays a table. */
export function Table<Row>({ label, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <table role="table" aria-label={label} className="block w-full md:table">
      <thead role="rowgroup" className="sr-only md:not-sr-only md:table-header-group">
        <tr role="row" className="md:table-row">
          {columns.map((column) => (
            <th
              key={column.title}
              role="columnheader"
              scope="col"
              className={clsx(
                'border-b px-5 py-2.5 font-semibold text-ink-soft text-xs',
                column.isEnd ? 'text-right' : 'text-left',
                column.width,
              )}
            >
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" className="block md:table-row-group">
        {rows.map((row) => (
          <tr
            key={rowKey(row)}
            role="row"
            className="block space-y-3 border-b px-5 py-4 last:border-b-0 md:table-row md:p-0"
          >
            {columns.map((column) => (
              <Cell key={column.title} column={column}>
                {column.cell(row)}
              </Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Cell<Row>({ column, children }: { column: Column<Row>; children: ReactNode }) {
  return (
    <td
      role="cell"
      className={clsx(
        'flex items-center justify-between gap-4 md:table-cell md:px-5 md:py-3 md:align-middle',
        'md:[tr:not(:last-child)>&]:border-b',
        column.isEnd && 'md:text-right',
      )}
    >
      {!column.isBare && (
        <span aria-hidden="true" className="shrink-0 text-ink-soft text-xs md:hidden">
          {column.title}
        </span>
      )}
      <div className={clsx('min-w-0', !column.isBare && 'max-md:text-right')}>{children}</div>
    </td>
  )
}

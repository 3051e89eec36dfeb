// biome-ignore-all lint/a11y/noRedundantRoles: `display` other than table's takes its meaning away
import clsx from 'clsx'
import { memo, type ReactNode } from 'react'

export type Column<Row> = {
  title: string
  cell: (row: Row) => ReactNode
  /** Numbers and actions are aligned right. */
  isEnd?: boolean
  /** A width class; without one the content decides. */
  width?: string
  /** Under md, where rows are cards, the cell has no title. */
  isBare?: boolean
}

type TableProps<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  /** Set when `rows` is a window onto a longer list. */
  window?: TableWindow
}

type TableWindow = {
  /** The number of all rows, and the index of the first shown one. */
  total: number
  first: number
  /** The height of the rows that are not drawn, in pixels. */
  before: number
  after: number
  measure: (row: HTMLElement | null) => void
}

/** Under md each row becomes a card; the roles are written out so that it stays a table. */
export function Table<Row>({ label, columns, rows, rowKey, window }: TableProps<Row>) {
  return (
    <table
      role="table"
      aria-label={label}
      // With fixed columns a new row does not make the browser measure all the others. Separate
      // borders: collapsed ones give half a pixel to each row and are drawn as a whole.
      className={clsx(
        'block w-full border-separate border-spacing-0 md:table',
        window && 'md:table-fixed',
      )}
      {...(window && { 'aria-rowcount': window.total + 1 })}
    >
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
        {window && <Gap height={window.before} />}
        {rows.map((row, index) => (
          <TableRow
            key={rowKey(row)}
            row={row}
            columns={columns}
            {...(window && { index: window.first + index, measure: window.measure })}
          />
        ))}
        {window && <Gap height={window.after} />}
      </tbody>
    </table>
  )
}

type RowProps<Row> = {
  row: Row
  columns: readonly Column<Row>[]
  /** Its position in a longer list. */
  index?: number
  measure?: TableWindow['measure']
}

function PlainRow<Row>({ row, columns, index, measure }: RowProps<Row>) {
  return (
    <tr
      role="row"
      className={clsx(
        'block space-y-3 border-b px-5 py-4 last:border-b-0 md:table-row md:p-0',
        index !== undefined && 'md:h-16',
      )}
      {...(index !== undefined && {
        ref: measure,
        'data-index': index,
        // The header is the first row.
        'aria-rowindex': index + 2,
      })}
    >
      {columns.map((column) => (
        <Cell key={column.title} column={column}>
          {column.cell(row)}
        </Cell>
      ))}
    </tr>
  )
}

/** While a long list is scrolled, rows that stay are not rendered again. */
const TableRow = memo(PlainRow) as typeof PlainRow

const Gap = ({ height }: { height: number }) => (
  // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: height, not a row
  <tr role="none" className="block md:table-row" style={{ height }} />
)

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

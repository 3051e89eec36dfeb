import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ComponentProps, useLayoutEffect, useRef, useState } from 'react'
import { Table } from '../../ui/layout/table.tsx'

/** Up to this number a browser renders all rows without a noticeable delay. */
const SHORT = 100
/** The height of a row above md; below it the rows are measured. */
const ROW_PX = 64

type LongTableProps<Row> = Omit<ComponentProps<typeof Table<Row>>, 'window'>

/**
 * A table that may have thousands of rows: it scrolls with the page and renders the visible ones.
 */
export function LongTable<Row>(props: LongTableProps<Row>) {
  return props.rows.length <= SHORT ? <Table {...props} /> : <WindowedTable {...props} />
}

function WindowedTable<Row>(props: LongTableProps<Row>) {
  const { rows, rowKey } = props
  const box = useRef<HTMLDivElement>(null)
  const [offset, setOffset] = useState(0)
  // Only the browser knows where the table begins on the page.
  useLayoutEffect(() => {
    const element = box.current
    if (element) setOffset(element.getBoundingClientRect().top + window.scrollY)
  }, [])
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    overscan: 10,
    // Rendering on React's own schedule keeps the scrolling smooth.
    useFlushSync: false,
    scrollMargin: offset,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : rowKey(row)
    },
  })
  const shown = virtualizer.getVirtualItems()
  const first = shown[0]
  const last = shown.at(-1)
  return (
    <div ref={box}>
      <Table
        {...props}
        rows={first && last ? rows.slice(first.index, last.index + 1) : []}
        window={{
          total: rows.length,
          first: first?.index ?? 0,
          before: first ? first.start - offset : 0,
          after: virtualizer.getTotalSize() - (last ? last.end - offset : 0),
          measure: virtualizer.measureElement,
        }}
      />
    </div>
  )
}

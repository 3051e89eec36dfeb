import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

type VirtualListProps<T> = {
  label: string
  items: readonly T[]
  keyOf: (item: T) => string
  /** The height of an item before it is measured. */
  estimate: (item: T) => number
  children: (item: T) => ReactNode
}

/** A list that scrolls with the page and renders only the visible items. */
export function VirtualList<T>({ label, items, keyOf, estimate, children }: VirtualListProps<T>) {
  const list = useRef<HTMLUListElement>(null)
  const [offset, setOffset] = useState(0)
  // Only the browser knows where the list begins on the page.
  useLayoutEffect(() => {
    const element = list.current
    if (element) setOffset(element.getBoundingClientRect().top + window.scrollY)
  }, [])
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    overscan: 8,
    scrollMargin: offset,
    estimateSize: (index) => {
      const item = items[index]
      return item === undefined ? 0 : estimate(item)
    },
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
  })
  return (
    <ul
      ref={list}
      aria-label={label}
      className="relative"
      style={{ height: virtualizer.getTotalSize() }}
    >
      {virtualizer.getVirtualItems().map(({ key, index, start }) => {
        const item = items[index]
        if (item === undefined) return null
        return (
          <li
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start - offset}px)` }}
          >
            {children(item)}
          </li>
        )
      })}
    </ul>
  )
}

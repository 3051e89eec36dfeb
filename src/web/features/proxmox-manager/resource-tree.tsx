import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useDeferredValue, useId, useMemo, useRef, useState } from 'react'
import { treeMove } from './tree-keys.ts'
import { TreeLine } from './tree-line.tsx'
import { buildTree, type Inventory, pathTo, type TreeRow, treeRows } from './tree-rows.ts'

const LINE_PX = 32
/** Above this number, the lists of a node start closed. */
const FEW = 150

type ResourceTreeProps = {
  inventory: Inventory
  search: string
  /** The key of the resource shown on the right. */
  selected: string
  onSelect: (key: string) => void
}

/**
 * The whole tree has one focus, which names the active line: lines out of sight are not rendered.
 */
export function ResourceTree({ inventory, search, selected, onSelect }: ResourceTreeProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const tree = useMemo(() => buildTree(inventory), [inventory])
  const [way] = useState(() => new Set(pathTo(tree, selected)))
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set())
  const [activeKey, setActiveKey] = useState(selected || 'datacenter')
  const isSmall = inventory.instances.length <= FEW
  const wanted = useDeferredValue(search)
  const rows = useMemo(() => {
    const isOpenAtFirst = (key: string, kind: string) =>
      way.has(key) || kind !== 'folder' || isSmall
    return treeRows(tree, ({ key, kind }) => isOpenAtFirst(key, kind) !== flipped.has(key), wanted)
  }, [tree, flipped, wanted, isSmall, way])
  const active = Math.max(
    0,
    rows.findIndex(({ key }) => key === activeKey),
  )
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: 12,
    initialOffset: () => Math.max(0, (active - 4) * LINE_PX),
  })

  function toggle({ key, isExpanded }: TreeRow) {
    if (isExpanded === undefined) return
    setFlipped((now) => {
      const next = new Set(now)
      if (!next.delete(key)) next.add(key)
      return next
    })
  }

  function choose(row: TreeRow) {
    setActiveKey(row.key)
    if (row.resource) onSelect(row.key)
    else toggle(row)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const move = treeMove(rows, active, event.key)
    if (!move) return
    event.preventDefault()
    if (move.act === 'choose') return choose(move.row)
    if (move.act === 'toggle') return toggle(move.row)
    setActiveKey(rows[move.index]?.key ?? activeKey)
    virtualizer.scrollToIndex(move.index)
  }

  if (rows.length === 0) {
    return <p className="px-4 py-8 text-center text-ink-soft">Nothing matches this search.</p>
  }
  return (
    <div
      ref={box}
      role="tree"
      aria-label="Datacenter"
      tabIndex={0}
      aria-activedescendant={`${id}-${rows[active]?.key}`}
      onKeyDown={onKeyDown}
      className="group h-[60dvh] overflow-y-auto -outline-offset-2 lg:h-[calc(100dvh-17rem)]"
    >
      <div role="none" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          return (
            row && (
              <TreeLine
                key={row.key}
                id={`${id}-${row.key}`}
                row={row}
                top={start}
                isActive={index === active}
                isSelected={row.key === selected}
                onChoose={() => choose(row)}
                onToggle={() => {
                  setActiveKey(row.key)
                  toggle(row)
                }}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

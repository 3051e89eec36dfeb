import clsx from 'clsx'
import {
  Building2,
  Cable,
  ChevronRight,
  Folder,
  LayoutTemplate,
  type LucideIcon,
  Monitor,
  Server,
} from 'lucide-react'
import { statusTone, statusWord } from '../../lib/instance/instance-status.ts'
import type { RowKind, TreeRow } from './tree-rows.ts'

const ICONS: Record<Exclude<RowKind, 'none'>, LucideIcon> = {
  datacenter: Building2,
  cluster: Cable,
  node: Server,
  folder: Folder,
  template: LayoutTemplate,
  instance: Monitor,
}

const MARKS = {
  good: 'bg-good-mark',
  bad: 'bg-bad-mark',
  warn: 'bg-warn-mark',
  idle: 'bg-idle-mark',
}

const INDENTS = ['pl-2', 'pl-2', 'pl-5', 'pl-8', 'pl-11', 'pl-14']

const toneOf = ({ kind, status }: TreeRow) => {
  if (kind === 'instance') return statusTone(status)
  if (status === 'online' || status === 'connected') return 'good'
  return status === 'maintenance' ? 'warn' : status === 'unknown' ? 'idle' : 'bad'
}

type TreeLineProps = {
  id: string
  row: TreeRow
  top: number
  isActive: boolean
  isSelected: boolean
  onChoose: () => void
  onToggle: () => void
}

export function TreeLine({
  id,
  row,
  top,
  isActive,
  isSelected,
  onChoose,
  onToggle,
}: TreeLineProps) {
  const Icon = row.kind === 'none' ? undefined : ICONS[row.kind]
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree names the active line
    <div
      id={id}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={row.isExpanded}
      aria-selected={row.resource ? isSelected : undefined}
      onClick={onChoose}
      className={clsx(
        'absolute inset-x-0 top-0 flex h-8 cursor-pointer items-center gap-2 pr-3',
        INDENTS[row.level] ?? 'pl-14',
        isSelected ? 'bg-sunken font-semibold' : 'hover:bg-sunken',
        isActive &&
          'group-focus-visible:ring-2 group-focus-visible:ring-link group-focus-visible:ring-inset',
        row.kind === 'none' && 'text-ink-soft',
      )}
      style={{ transform: `translateY(${top}px)` }}
    >
      {row.isExpanded === undefined ? (
        <span className="size-4 shrink-0" />
      ) : (
        <ChevronRight
          aria-hidden="true"
          className={clsx('size-4 shrink-0 text-ink-soft', row.isExpanded && 'rotate-90')}
          onClick={(event) => {
            event.stopPropagation()
            onToggle()
          }}
        />
      )}
      {Icon && <Icon aria-hidden="true" strokeWidth={1.75} className="size-4 shrink-0" />}
      <span className="min-w-0 truncate">{row.label}</span>
      {row.note && <span className="shrink-0 font-mono text-ink-soft text-xs">{row.note}</span>}
      {row.status && (
        <span className="ml-auto flex shrink-0 items-center">
          <span aria-hidden="true" className={clsx('size-2 rounded-full', MARKS[toneOf(row)])} />
          <span className="sr-only">{statusWord(row.status)}</span>
        </span>
      )}
    </div>
  )
}

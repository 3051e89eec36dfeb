import { Command } from 'cmdk'
import { type LucideIcon, Search } from 'lucide-react'
import { Panel } from '../overlay/panel.tsx'

export type CommandEntry = {
  id: string
  icon: LucideIcon
  label: string
  /** Tells it apart from others of the same name. */
  detail?: string
  run: () => void
}
export type CommandGroup = { title: string; entries: readonly CommandEntry[] }

type CommandListProps = {
  label: string
  placeholder: string
  search: string
  onSearch: (text: string) => void
  groups: readonly CommandGroup[]
  /** Shown when nothing matches. */
  empty: string
  onClose: () => void
}

/** A search field and its results, for keyboard and pointer. Closes, then runs the chosen entry. */
export function CommandList({
  label,
  placeholder,
  search,
  onSearch,
  groups,
  empty,
  onClose,
}: CommandListProps) {
  const shown = groups.filter(({ entries }) => entries.length > 0)
  return (
    <Panel
      label={label}
      onClose={onClose}
      className="fixed inset-x-3 top-3 z-50 mx-auto max-w-xl animate-appear overflow-hidden rounded-md border bg-card sm:top-[12vh]"
    >
      <Command label={label} shouldFilter={false} loop>
        <div className="flex items-center gap-3 border-b px-4">
          <Search aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
          <Command.Input
            value={search}
            onValueChange={onSearch}
            placeholder={placeholder}
            className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none"
          />
        </div>
        <Command.List
          label="Results"
          className="max-h-[min(24rem,70dvh)] scroll-py-2 overflow-y-auto p-2"
        >
          {shown.length === 0 && (
            <Command.Empty className="px-3 py-10 text-center text-ink-soft">{empty}</Command.Empty>
          )}
          {shown.map(({ title, entries }) => (
            <Command.Group
              key={title}
              heading={title}
              className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-3 [&_[cmdk-group-heading]]:pb-1.5 [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-ink-soft [&_[cmdk-group-heading]]:text-xs"
            >
              {entries.map((entry) => (
                <Entry key={entry.id} entry={entry} onClose={onClose} />
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Panel>
  )
}

function Entry({ entry, onClose }: { entry: CommandEntry; onClose: () => void }) {
  const { id, icon: Icon, label, detail, run } = entry
  return (
    <Command.Item
      value={id}
      onSelect={() => {
        onClose()
        run()
      }}
      className="flex min-h-10 cursor-pointer items-center gap-3 rounded-sm px-3 py-1.5 data-[selected=true]:bg-sunken"
    >
      <Icon aria-hidden="true" strokeWidth={1.75} className="size-4 shrink-0 text-ink-soft" />
      <span className="min-w-0 truncate">{label}</span>
      {detail && (
        <span className="ml-auto shrink-0 truncate pl-3 font-mono text-ink-soft text-xs">
          {detail}
        </span>
      )}
    </Command.Item>
  )
}

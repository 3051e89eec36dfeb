import { useState } from 'react'
import { useDuties } from '../../api/session.ts'
import type { Area } from '../../lib/paths/page-title.ts'
import { type CommandEntry, CommandList } from '../../ui/menu/command-list.tsx'
import { matcher } from '../../widgets/list/matcher.ts'
import type { NavItem } from '../navigation/navigation.ts'
import { useCommonActs } from './common-acts.ts'
import { useFoundByAdmin, useFoundByClient } from './found.ts'
import { pageEntries } from './page-entries.ts'

type PaletteProps = {
  area: Area
  nav: readonly NavItem[]
  onHelp: () => void
  onClose: () => void
}

/** Pages, objects by name, and frequent actions. */
export function Palette(props: PaletteProps) {
  return props.area === 'admin' ? <AdminPalette {...props} /> : <ClientPalette {...props} />
}

function AdminPalette(props: PaletteProps) {
  const [search, setSearch] = useState('')
  return <Groups {...props} {...{ search, setSearch }} found={useFoundByAdmin(search)} />
}

function ClientPalette(props: PaletteProps) {
  const [search, setSearch] = useState('')
  return <Groups {...props} {...{ search, setSearch }} found={useFoundByClient(search)} />
}

type GroupsProps = PaletteProps & {
  search: string
  setSearch: (text: string) => void
  found: readonly { title: string; entries: readonly CommandEntry[] }[]
}

function Groups({ area, nav, onHelp, onClose, search, setSearch, found }: GroupsProps) {
  const acts = useCommonActs(area, onHelp)
  const may = useDuties()
  const fits = matcher(search)
  const fitting = (entries: readonly CommandEntry[]) =>
    entries.filter(({ label, detail }) => fits(label, detail))
  return (
    <CommandList
      label="Go to, find or do"
      placeholder={
        area === 'admin' ? 'A page, server, token, person or node' : 'A page or one of your servers'
      }
      search={search}
      onSearch={setSearch}
      groups={[
        { title: 'Go to', entries: fitting(pageEntries(area, nav, may)) },
        ...found,
        { title: 'Do', entries: fitting(acts) },
      ]}
      empty="No matches."
      onClose={onClose}
    />
  )
}

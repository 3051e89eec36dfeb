import { Badge } from '../../ui/indicator/badge.tsx'
import type { Change } from './changelog-data.ts'

const TYPE_WORDS = { major: 'Major', minor: 'Minor', other: 'Other' }

export function ChangeItem({ change }: { change: Change }) {
  return (
    <li className="flex items-center justify-between gap-4 py-2">
      {change.text}
      <Badge>{TYPE_WORDS[change.type]}</Badge>
    </li>
  )
}

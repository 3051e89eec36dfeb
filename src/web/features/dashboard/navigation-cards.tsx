import { KeyRound, type LucideIcon, Network, ReceiptText, Server, UserRound } from 'lucide-react'
import { Link } from 'wouter'
import { useDuties } from '../../api/session.ts'
import type { Area } from '../../lib/paths/page-title.ts'
import { paths } from '../../lib/paths/paths.ts'

type Entry = { path: string; title: string; text: string; icon: LucideIcon; duty?: 'run' }

const PROFILE: Entry = {
  path: paths.settings,
  title: 'Profile Settings',
  text: 'Password, sessions and appearance.',
  icon: UserRound,
}

const CARDS: Record<Area, readonly Entry[]> = {
  admin: [
    {
      path: paths.proxmoxManager,
      title: 'Proxmox Manager',
      text: 'Nodes, templates and virtual machines.',
      icon: Network,
      duty: 'run',
    },
    {
      path: paths.instances,
      title: 'Instances',
      text: 'Start, stop and configure them.',
      icon: Server,
    },
    {
      path: paths.tokens,
      title: 'Tokens',
      text: 'What is for sale and what is in use.',
      icon: KeyRound,
    },
    PROFILE,
  ],
  client: [
    {
      path: paths.myInstances,
      title: 'My Instances',
      text: 'Your servers, their power and their console.',
      icon: Server,
    },
    {
      path: paths.billing,
      title: 'Billing',
      text: 'Orders, payments and renewals.',
      icon: ReceiptText,
    },
    PROFILE,
  ],
}

export function NavigationCards({ area }: { area: Area }) {
  const may = useDuties()
  const cards = CARDS[area].filter(({ duty }) => may(duty))
  return (
    <nav aria-label="Where to go">
      <ul
        className={`grid gap-4 sm:grid-cols-2 ${area === 'admin' ? 'xl:grid-cols-4' : 'xl:grid-cols-3'}`}
      >
        {cards.map(({ path, title, text, icon: Icon }) => (
          <li key={title} className="grid">
            <Link
              href={path}
              className="flex items-start gap-3 rounded-md border bg-card px-5 py-4 hover:border-line-strong"
            >
              <Icon aria-hidden="true" strokeWidth={1.75} className="mt-0.5 size-5 shrink-0" />
              <span>
                <span className="block font-semibold">{title}</span>
                <span className="text-ink-soft">{text}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

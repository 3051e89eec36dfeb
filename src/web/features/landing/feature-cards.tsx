import { EyeOff, Hourglass, type LucideIcon, SquareTerminal } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { paths } from '../../lib/paths/paths.ts'

type Feature = { icon: LucideIcon; title: string; text: ReactNode }

const FEATURES: readonly Feature[] = [
  {
    icon: EyeOff,
    title: 'Nothing to give away',
    text: (
      <>
        We do not ask for a name, an e-mail address or a phone number. What little is stored, why,
        and for how long is{' '}
        <Link href={paths.privacy} className="text-link">
          written down, field by field
        </Link>
        .
      </>
    ),
  },
  {
    icon: SquareTerminal,
    title: 'A whole machine',
    text: 'A full virtual machine on Proxmox VE with its own address and root access. Start, restart and shut it down yourself, and open its screen in the browser when SSH does not answer.',
  },
  {
    icon: Hourglass,
    title: 'Prepaid to the second',
    text: 'You pay for a period and see it count down. Nothing renews behind your back. When time runs out the server stops first; it is kept for a while before it is deleted.',
  },
]

export function FeatureCards() {
  return (
    <section aria-label="What you get" className="border-y bg-card">
      <ul className="mx-auto grid max-w-6xl divide-y px-4 sm:px-6 md:grid-cols-3 md:divide-x md:divide-y-0">
        {FEATURES.map(({ icon: Icon, title, text }) => (
          <li key={title} className="py-8 md:px-8 md:py-10 md:first:pl-0 md:last:pr-0">
            <Icon aria-hidden="true" strokeWidth={1.5} className="size-6 text-ink-soft" />
            <h2 className="mt-4 text-base">{title}</h2>
            <p className="mt-2 text-ink-soft">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

import clsx from 'clsx'
import { Link } from 'wouter'
import { brandName } from '../../lib/browser/page-facts.ts'
import { paths } from '../../lib/paths/paths.ts'

/** The logo: a plain box. */
function BrandMark({ className }: { className?: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 24 24" className={clsx('size-6 shrink-0', className)}>
      <rect
        x="2"
        y="2"
        width="20"
        height="20"
        rx="5"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.25"
      />
      <path d="M8 12.75h8" stroke="var(--link)" strokeWidth="2.5" strokeLinecap="round" />
    </svg>
  )
}

export function BrandLink() {
  return (
    <Link
      href={paths.home}
      className="inline-flex items-center gap-2.5 rounded-sm font-semibold text-base"
    >
      <BrandMark />
      {brandName}
    </Link>
  )
}

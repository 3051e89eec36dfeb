import clsx from 'clsx'
import type { ReactNode } from 'react'

type SubPagesProps = {
  label: string
  pages: readonly { value: string; label: string }[]
  current: string
  onChoose: (value: string) => void
  children: ReactNode
}

/** A page in parts, one of them shown: buttons above it that say which. */
export function SubPages({ label, pages, current, onChoose, children }: SubPagesProps) {
  return (
    <>
      <nav aria-label={label} className="mb-6 flex gap-1 overflow-x-auto border-b">
        {pages.map((page) => (
          <button
            key={page.value}
            type="button"
            aria-current={page.value === current ? 'page' : undefined}
            className={clsx(
              '-mb-px h-10 shrink-0 border-b-2 px-3 font-semibold -outline-offset-2 hover:text-ink',
              page.value === current ? 'border-ink text-ink' : 'border-transparent text-ink-soft',
            )}
            onClick={() => onChoose(page.value)}
          >
            {page.label}
          </button>
        ))}
      </nav>
      {children}
    </>
  )
}

import type { ReactNode } from 'react'

/** Terms and what they stand for, one below the other. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="divide-y">{children}</dl>
}

type FactProps = { term: string; isCode?: boolean; children: ReactNode }

export function Fact({ term, isCode = false, children }: FactProps) {
  return (
    <div className="flex min-h-10 items-center justify-between gap-6 py-2">
      <dt className="shrink-0 text-ink-soft">{term}</dt>
      <dd
        className={`flex min-w-0 items-center gap-1 break-words text-right ${isCode ? 'tabular font-mono' : ''}`}
      >
        {children}
      </dd>
    </div>
  )
}

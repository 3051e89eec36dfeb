import clsx from 'clsx'
import type { ReactNode } from 'react'
import { Copy } from './copy.tsx'

export function Facts({ children, className }: { children: ReactNode; className?: string }) {
  return <dl className={clsx('divide-y', className)}>{children}</dl>
}

/** A term and its value. */
export function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="flex min-h-11 items-center justify-between gap-6 py-2">
      <dt className="shrink-0 text-ink-soft">{term}</dt>
      <dd className="flex min-w-0 items-center text-right wrap-anywhere">{children}</dd>
    </div>
  )
}

type MachineFactProps = {
  term: string
  value: string | null
  /** Shown where there is none. */
  otherwise: string
  /** The owner of the value, so that a screen reader can tell the buttons of two servers apart. */
  of: string
}

/** An address, a name or an id: in a monospaced font, copied with one press. */
export function MachineFact({ term, value, otherwise, of }: MachineFactProps) {
  if (!value) {
    return (
      <Fact term={term}>
        <span className="text-ink-soft">{otherwise}</span>
      </Fact>
    )
  }
  return (
    <Fact term={term}>
      <span className="font-mono">{value}</span>
      <Copy value={value} label={`Copy ${term} of ${of}`} className="-my-2 -mr-2 ml-1" />
    </Fact>
  )
}

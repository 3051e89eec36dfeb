import type { ReactNode } from 'react'

export function Prose({
  title,
  lead,
  children,
}: {
  title: string
  lead: string
  children: ReactNode
}) {
  return (
    <article className="mx-auto max-w-3xl px-4 py-14 sm:px-6">
      <h1 className="text-xl">{title}</h1>
      <p className="mt-3 max-w-2xl text-base text-ink-soft">{lead}</p>
      <div className="mt-10 space-y-8">{children}</div>
    </article>
  )
}

export function Passage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="text-base">{title}</h2>
      <div className="mt-2 max-w-2xl space-y-2 text-base text-ink-soft">{children}</div>
    </section>
  )
}

import { isDemo } from '../../lib/browser/page-facts.ts'

/** Keeps the demonstration from being mistaken for a real shop. */
export function DemoBanner() {
  if (!isDemo) return null
  return (
    <aside
      aria-label="Demonstration"
      className="border-b bg-sunken px-4 py-1.5 text-center text-ink-soft text-xs print:hidden"
    >
      <strong className="font-semibold text-ink">Demo data:</strong> the cluster is simulated, no
      money moves, and everything may be reset.
    </aside>
  )
}

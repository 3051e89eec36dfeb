import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Later } from '../../ui/indicator/later.tsx'

const LatestUpdatesCard = lazyPage(() => import('./latest-updates-card.tsx'), 'LatestUpdatesCard')

/** The latest updates, below a page's own content, so they may come later. */
export function LaterUpdates() {
  return (
    <Later className="h-40">
      <LatestUpdatesCard />
    </Later>
  )
}

import type { Server } from '#shared/api/overview/servers.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Later } from '../../ui/indicator/later.tsx'
import { AccessCard } from './access-card.tsx'
import { MachineCard } from './machine-card.tsx'
import { TermCard } from './term-card.tsx'

const OperatorCard = lazyPage(() => import('./operator-card.tsx'), 'OperatorCard')

export function Overview({ server }: { server: Server }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="space-y-4">
        <AccessCard server={server} />
        <MachineCard server={server} />
      </div>
      <div className="space-y-4">
        {server.term !== null && <TermCard server={server} />}
        {server.operator && (
          <Later className="h-64">
            <OperatorCard server={server} operator={server.operator} />
          </Later>
        )}
      </div>
    </div>
  )
}

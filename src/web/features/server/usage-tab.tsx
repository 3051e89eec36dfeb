import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { ErrorState } from '../../ui/feedback/error-state.tsx'
import { Later } from '../../ui/indicator/later.tsx'
import { Card, CardBody } from '../../ui/layout/card.tsx'

const MetricsPanel = lazyPage(
  () => import('../../widgets/metrics/metrics-panel.tsx'),
  'MetricsPanel',
)

/** CPU, memory, network and disk over time. A chart that fails removes only itself. */
export function UsageTab({ server: { id } }: { server: { id: number } }) {
  return (
    <Card>
      <CardBody>
        <ErrorBoundary
          fallback={() => (
            <ErrorState title="The figures could not be shown" onRetry={() => location.reload()}>
              The server is not affected.
            </ErrorState>
          )}
        >
          <Later label="Loading the figures" className="h-48">
            <MetricsPanel machine={{ kind: 'instance', id }} />
          </Later>
        </ErrorBoundary>
      </CardBody>
    </Card>
  )
}

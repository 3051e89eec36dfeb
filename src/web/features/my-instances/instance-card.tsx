import { ChartLine } from 'lucide-react'
import { Suspense, useId, useState } from 'react'
import { Link } from 'wouter'
import type { ClientToken } from '#shared/api/overview/client.ts'
import type { ClientInstance } from '#shared/api/servers/instances.ts'
import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { sizeTextOf } from '../../lib/format/size-text.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { uptimeOf } from '../../lib/format/uptime.ts'
import { addressOf } from '../../lib/instance/connect.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import { serverPath } from '../../lib/paths/paths.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { ErrorState } from '../../ui/feedback/error-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Loading, Skeleton } from '../../ui/indicator/skeleton.tsx'
import { ConsoleButton } from '../../widgets/console/console-button.tsx'
import { Fact, Facts, MachineFact } from '../../widgets/facts/facts.tsx'
import { SecretFact } from '../../widgets/facts/secret-fact.tsx'
import { EndOwnServer } from '../../widgets/instance/end-own-server.tsx'
import { RestButton } from '../../widgets/instance/rest-button.tsx'
import { StatusBadge } from '../../widgets/instance/status-badge.tsx'
import { PowerButtons } from '../../widgets/power/power-buttons.tsx'
import { cardSentence } from './card-words.ts'

const ACTS = ['start', 'restart', 'shutdown', 'stop'] as const

const MetricsPanel = lazyPage(
  () => import('../../widgets/metrics/metrics-panel.tsx'),
  'MetricsPanel',
)

type InstanceCardProps = {
  instance: ClientInstance
  /** The size is read from its name; the instance may have another one. */
  token: ClientToken | undefined
  isSimulated: boolean
  /** Whether everything is shown at first, not only what matters most. */
  isOpenAtFirst: boolean
}

/** One server as a machine: its state, its load, its power buttons. */
export function InstanceCard({ instance, token, isSimulated, isOpenAtFirst }: InstanceCardProps) {
  const panelId = useId()
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const name = instanceName(instance)
  const size = sizeTextOf(token?.name ?? instance.name)
  const sentence = cardSentence(instance.status)
  return (
    <article aria-label={name} className="rounded-md border bg-card">
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-5 py-3">
        <div className="flex min-w-0 flex-1 basis-64 flex-wrap items-center gap-x-3 gap-y-1">
          <h3 className="min-w-0 break-words text-base">
            <Link href={serverPath(instance.id)} className="hover:underline">
              {name}
            </Link>
          </h3>
          <StatusBadge status={instance.status} />
          {!isOpen && (
            <p className="basis-full text-ink-soft text-xs">
              {[instance.ipAddress, size, uptimeOf(instance)].filter(Boolean).join(' · ')}
            </p>
          )}
        </div>
        <div className="flex flex-wrap gap-2">
          <PowerButtons
            instance={{ ...instance, term: token?.status ?? null }}
            acts={ACTS}
            audience="client"
            hasText
          />
          <ConsoleButton instance={{ ...instance, name }} hasText />
          <RestButton
            name={name}
            isOpen={isOpen}
            panelId={panelId}
            onToggle={() => setOpen(!isOpen)}
          />
        </div>
      </header>
      {instance.suspended && (
        <p className="border-t bg-bad-soft px-5 py-3 text-bad">
          The operator has suspended this server: {instance.suspended.reason}
        </p>
      )}
      {sentence && <p className="border-t bg-sunken px-5 py-3">{sentence}</p>}
      <div id={panelId}>
        {isOpen && <Rest instance={instance} token={token} isSimulated={isSimulated} />}
      </div>
    </article>
  )
}

function Rest({ instance, token, isSimulated }: Omit<InstanceCardProps, 'isOpenAtFirst'>) {
  const panelId = useId()
  const [hasFigures, setFigures] = useState(false)
  const { cpu, ramGb, diskGb, diskKind } = sizeFromName(token?.name ?? instance.name)
  return (
    <>
      <div className="grid border-t lg:grid-cols-2 lg:divide-x">
        <Facts className="px-5">
          <Fact term="CPU">
            <span className="font-mono">{cpu} CPU</span>
          </Fact>
          <Fact term="Memory">
            <span className="font-mono">{ramGb} GB RAM</span>
          </Fact>
          <Fact term="Disk">
            <span className="font-mono">
              {diskGb} GB {diskKind}
            </span>
          </Fact>
          <Fact term="Uptime">
            <span className="font-mono">{uptimeOf(instance)}</span>
          </Fact>
        </Facts>
        <Access instance={instance} isSimulated={isSimulated} />
      </div>
      <footer className="border-t px-5 py-3">
        <div className="flex flex-wrap justify-between gap-2">
          <Button
            size="sm"
            variant="ghost"
            className="-ml-3"
            aria-expanded={hasFigures}
            aria-controls={panelId}
            onClick={() => setFigures(!hasFigures)}
          >
            <ChartLine aria-hidden="true" className="size-3.5" />
            {hasFigures ? 'Hide figures' : 'CPU, memory, network and disk'}
          </Button>
          {token && <EndOwnServer token={token} isSimulated={isSimulated} />}
        </div>
        <div id={panelId} className={hasFigures ? 'pt-4 pb-2' : undefined}>
          {hasFigures && (
            <ErrorBoundary fallback={() => <NoDrawing />}>
              <Suspense fallback={<PanelSkeleton />}>
                <MetricsPanel machine={{ kind: 'instance', id: instance.id }} />
              </Suspense>
            </ErrorBoundary>
          )}
        </div>
      </footer>
    </>
  )
}

function Access({ instance, isSimulated }: Pick<InstanceCardProps, 'instance' | 'isSimulated'>) {
  const { token, ipAddress, createdAt } = instance
  const name = instanceName(instance)
  const address = addressOf({
    domain: token?.domain ?? null,
    clientIpAddress: token?.clientIpAddress ?? null,
    ipAddress,
  })
  return (
    <Facts className="border-t px-5 lg:border-t-0">
      <MachineFact of={name} term="Address" value={address ?? null} otherwise="Not assigned" />
      <MachineFact
        of={name}
        term="Username"
        value={token?.username ?? null}
        otherwise="Not known"
      />
      <SecretFact of={name} term="Password" value={token?.password} isSimulated={isSimulated} />
      <Fact term="Created">{calendarDay(new Date(createdAt))}</Fact>
    </Facts>
  )
}

/** A chart that fails removes only itself: the power buttons stay. */
function NoDrawing() {
  return (
    <ErrorState title="The figures could not be shown" onRetry={() => location.reload()}>
      Your server is not affected.
    </ErrorState>
  )
}

function PanelSkeleton() {
  return (
    <Loading label="Loading the figures">
      <Skeleton className="h-48" />
    </Loading>
  )
}

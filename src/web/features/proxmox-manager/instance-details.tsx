import { Settings, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Instance } from '#shared/api/servers/instances.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { uptimeWords } from '../../lib/format/uptime.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import { Button } from '../../ui/form/button.tsx'
import { usePlaces } from '../../widgets/cluster/use-places.ts'
import { ConsoleButton } from '../../widgets/console/console-button.tsx'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import {
  InstanceDialogs,
  isClients,
  type OpenInstance,
} from '../../widgets/instance/instance-dialogs.tsx'
import { StatusBadge } from '../../widgets/instance/status-badge.tsx'
import { SuspendButton, SuspendedMark } from '../../widgets/instance/suspend-button.tsx'
import { MetricsPanel } from '../../widgets/metrics/metrics-panel.tsx'
import { PowerButtons } from '../../widgets/power/power-buttons.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { DetailsFrame } from './details-frame.tsx'

const ACTS = ['start', 'stop', 'restart'] as const

type InstanceDetailsProps = { instance: Instance; onDeleted: () => void }

export function InstanceDetails({ instance, onDeleted }: InstanceDetailsProps) {
  const [open, setOpen] = useState<OpenInstance>()
  return (
    <DetailsFrame
      title={instanceName(instance)}
      badge={
        <>
          <StatusBadge status={instance.status} />
          {instance.suspended && <SuspendedMark suspended={instance.suspended} />}
        </>
      }
      actions={
        <>
          <PowerButtons instance={instance} acts={ACTS} audience="admin" hasText isBrief />
          <ConsoleButton instance={instance} hasText />
          <Button size="sm" onClick={() => setOpen({ dialog: 'configure', instance })}>
            <Settings aria-hidden="true" className="size-3.5" />
            Configure
          </Button>
          {isClients(instance) && <SuspendButton instance={instance} hasText />}
          <Button size="sm" onClick={() => setOpen({ dialog: 'delete', instance })}>
            <Trash2 aria-hidden="true" className="size-3.5" />
            {isClients(instance) ? 'End server' : 'Delete'}
          </Button>
        </>
      }
    >
      <InstanceFacts instance={instance} />
      <MetricsPanel machine={{ kind: 'instance', id: instance.id }} />
      <InstanceDialogs open={open} onClose={() => setOpen(undefined)} onDeleted={onDeleted} />
    </DetailsFrame>
  )
}

function InstanceFacts({ instance }: { instance: Instance }) {
  const places = usePlaces()
  return (
    <Facts>
      <Fact term="VM ID">
        <span className="font-mono">{instance.vmId}</span>
      </Fact>
      <Fact term="Uptime">
        <span className="tabular">{uptimeWords(instance.uptime) ?? 'N/A'}</span>
      </Fact>
      <Fact term="IP Address">
        {instance.ipAddress ? (
          <span className="font-mono">{instance.ipAddress}</span>
        ) : (
          'Not assigned'
        )}
      </Fact>
      <Fact term="Created">{calendarDay(new Date(instance.createdAt))}</Fact>
      <Fact term="Last updated">
        {instance.lastUpdated ? <RelativeTime at={instance.lastUpdated} /> : 'Never'}
      </Fact>
      {places.isMany && <Fact term="Runs on">{places.nodeOf(instance)}</Fact>}
      <Fact term="Node ID">
        <span className="font-mono">{instance.nodeId ?? 'N/A'}</span>
      </Fact>
      <Fact term="Template ID">
        <span className="font-mono">{instance.templateId ?? 'N/A'}</span>
      </Fact>
    </Facts>
  )
}

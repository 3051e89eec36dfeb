import clsx from 'clsx'
import { Settings, Trash2 } from 'lucide-react'
import { Link } from 'wouter'
import type { Instance } from '#shared/api/servers/instances.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { uptimeWords } from '../../lib/format/uptime.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'
import { serverPath } from '../../lib/paths/paths.ts'
import { Button } from '../../ui/form/button.tsx'
import { ConsoleButton } from '../../widgets/console/console-button.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { isClients, type OpenInstance } from '../../widgets/instance/instance-dialogs.tsx'
import { StatusBadge } from '../../widgets/instance/status-badge.tsx'
import { SuspendButton, SuspendedMark } from '../../widgets/instance/suspend-button.tsx'
import { PowerButtons } from '../../widgets/power/power-buttons.tsx'

const ACTS = ['start', 'stop', 'restart'] as const

type InstanceRowProps = { instance: Instance; onOpen: (open: OpenInstance) => void }

/** Stopped ones have a red border. */
export function InstanceRow({ instance, onOpen }: InstanceRowProps) {
  const { status, vmId, uptime, createdAt, ipAddress } = instance
  return (
    <article
      aria-label={instanceName(instance)}
      className={clsx(
        'mb-2 rounded-md border bg-card px-4 py-3 md:grid md:items-center md:gap-4',
        // The last column is as wide as all buttons: rows with fewer of them stay aligned.
        'md:grid-cols-[minmax(0,1fr)_7rem_6rem_7rem_16.5rem]',
        status === 'stopped' && 'border-bad-mark',
      )}
    >
      <div className="flex items-start justify-between gap-3 md:contents">
        <div className="min-w-0">
          <Link
            href={serverPath(instance.id)}
            className="block truncate font-semibold hover:underline"
          >
            {instanceName(instance)}
          </Link>
          <span className="block truncate font-mono text-ink-soft text-xs">
            VM {vmId}
            {ipAddress && ` · ${ipAddress}`}
            {instance.clientName && ` · ${instance.clientName}`}
          </span>
        </div>
        <div className="shrink-0">
          <StatusBadge status={status} />
          {instance.suspended && <SuspendedMark suspended={instance.suspended} />}
        </div>
      </div>
      <dl className="flex flex-wrap gap-x-6 gap-y-1 max-md:mt-3 md:contents">
        <Detail term="Uptime">{uptimeWords(uptime) ?? 'Offline'}</Detail>
        <Detail term="Created">{createdAt ? calendarDay(new Date(createdAt)) : 'N/A'}</Detail>
      </dl>
      <RowActions instance={instance} onOpen={onOpen} />
    </article>
  )
}

function Detail({ term, children }: { term: string; children: string }) {
  return (
    <div className="text-xs max-md:flex max-md:gap-1.5">
      <dt className="text-ink-soft">{term}</dt>
      <dd className="tabular">{children}</dd>
    </div>
  )
}

function RowActions({ instance, onOpen }: InstanceRowProps) {
  const name = instanceName(instance)
  return (
    <div className="flex gap-0.5 max-md:-mx-2 max-md:mt-2 md:justify-end">
      <PowerButtons instance={instance} acts={ACTS} audience="admin" />
      <ConsoleButton instance={instance} />
      <May duty="run">
        <Button
          variant="ghost"
          size="icon"
          title="Settings"
          aria-label={`Settings of ${name}`}
          onClick={() => onOpen({ dialog: 'configure', instance })}
        >
          <Settings aria-hidden="true" className="size-4" />
        </Button>
        {isClients(instance) && <SuspendButton instance={instance} />}
        <Button
          variant="ghost"
          size="icon"
          title={isClients(instance) ? 'End server' : 'Delete'}
          aria-label={isClients(instance) ? `End server ${name}` : `Delete ${name}`}
          onClick={() => onOpen({ dialog: 'delete', instance })}
        >
          <Trash2 aria-hidden="true" className="size-4" />
        </Button>
      </May>
    </div>
  )
}

import { type ComponentType, Suspense, useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { useMe } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { uptimeOf } from '../../lib/format/uptime.ts'
import { Button } from '../../ui/form/button.tsx'
import { Later } from '../../ui/indicator/later.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Fact, Facts, MachineFact } from '../../widgets/facts/facts.tsx'

const MachineLoad = lazyPage(() => import('./machine-load.tsx'), 'MachineLoad')
const HostnameDialog = lazyPage(() => import('./dialogs/name-dialogs.tsx'), 'HostnameDialog')
const ReinstallDialog = lazyPage(() => import('./dialogs/reinstall-dialog.tsx'), 'ReinstallDialog')

/** What the machine is, and how busy it is now. */
export function MachineCard({ server }: { server: Server }) {
  const { label, hostname, size, osType, macAddress, createdAt, packageName } = server
  return (
    <Card>
      <CardHeader title="Machine" />
      {server.status === 'running' && (
        // As high as the bars, so that nothing moves when they come.
        <div className="min-h-30 border-b px-5 py-5 sm:min-h-19">
          <Later className="h-20 sm:h-9">
            <MachineLoad server={server} />
          </Later>
        </div>
      )}
      <Facts className="px-5">
        <Fact term="System">
          {osType ?? 'Not known'}
          <Change server={server} act="reinstall" title="Reinstall" Dialog={ReinstallDialog} />
        </Fact>
        <Fact term="Hostname">
          <span className={hostname ? 'font-mono' : 'text-ink-soft'}>{hostname ?? 'Not set'}</span>
          <Change
            server={server}
            act="hostname"
            title="Change"
            what="the hostname of "
            Dialog={HostnameDialog}
          />
        </Fact>
        <Fact term="Size">
          <span className="font-mono">
            {size.cpu} CPU · {size.ramGb} GB RAM · {size.diskGb} GB {size.diskKind}
          </span>
        </Fact>
        <Fact term="Uptime">
          <span className="font-mono">{uptimeOf(server)}</span>
        </Fact>
        {macAddress && (
          <MachineFact of={label} term="MAC address" value={macAddress} otherwise="" />
        )}
        {packageName && <Fact term="Package">{packageName}</Fact>}
        <Fact term="Created">{calendarDay(new Date(createdAt))}</Fact>
      </Facts>
    </Card>
  )
}

type ChangeProps = {
  server: Server
  act: 'hostname' | 'reinstall'
  title: string
  what?: string
  Dialog: ComponentType<{ server: Server; onClose: () => void }>
}

/** A button with its dialog; without a button for an operator who simulates. */
function Change({ server, act, title, what = '', Dialog }: ChangeProps) {
  const [isOpen, setOpen] = useState(false)
  const { isSimulated = false } = useMe()
  const { allowed, why } = server.can[act]
  const name = `${title} ${what}${server.label}`
  if (isSimulated) return null
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        className="-mr-3 ml-1"
        disabled={!allowed}
        title={why ?? name}
        aria-label={name}
        onClick={() => setOpen(true)}
      >
        {title}
      </Button>
      {isOpen && (
        <Suspense>
          <Dialog server={server} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

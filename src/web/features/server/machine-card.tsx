import { Suspense, useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { useMe } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { uptimeOf } from '../../lib/format/uptime.ts'
import { Button } from '../../ui/form/button.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Fact, Facts, MachineFact } from '../../widgets/facts/facts.tsx'

const MachineLoad = lazyPage(() => import('./machine-load.tsx'), 'MachineLoad')
const HostnameDialog = lazyPage(() => import('./name-dialogs.tsx'), 'HostnameDialog')

/** What the machine is, and how busy it is now. */
export function MachineCard({ server }: { server: Server }) {
  const { label, size, osType, macAddress, createdAt, packageName } = server
  return (
    <Card>
      <CardHeader title="Machine" />
      {server.status === 'running' && (
        // As high as the bars, so that nothing moves when they come.
        <div className="min-h-30 border-b px-5 py-5 sm:min-h-19">
          <Suspense>
            <MachineLoad server={server} />
          </Suspense>
        </div>
      )}
      <Facts className="px-5">
        <Fact term="System">{osType ?? 'Not known'}</Fact>
        <Hostname server={server} />
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

function Hostname({ server }: { server: Server }) {
  const [isOpen, setOpen] = useState(false)
  const { isSimulated = false } = useMe()
  const { hostname, can, label } = server
  return (
    <Fact term="Hostname">
      <span className={hostname ? 'font-mono' : 'text-ink-soft'}>{hostname ?? 'Not set'}</span>
      {!isSimulated && (
        <Button
          size="sm"
          variant="ghost"
          className="-mr-3 ml-1"
          disabled={!can.hostname.allowed}
          title={can.hostname.why ?? 'Change the hostname'}
          aria-label={`Change the hostname of ${label}`}
          onClick={() => setOpen(true)}
        >
          Change
        </Button>
      )}
      {isOpen && (
        <Suspense>
          <HostnameDialog server={server} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Fact>
  )
}

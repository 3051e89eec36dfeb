import { Suspense, useState } from 'react'
import { Link } from 'wouter'
import type { Server } from '#shared/api/overview/servers.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { paths } from '../../lib/paths/paths.ts'
import { resourcePath } from '../../lib/paths/resource-path.ts'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Fact, Facts, MachineFact } from '../../widgets/facts/facts.tsx'
import { May } from '../../widgets/facts/may.tsx'

const NotesDialog = lazyPage(() => import('./dialogs/name-dialogs.tsx'), 'NotesDialog')

type OperatorCardProps = { server: Server; operator: NonNullable<Server['operator']> }

/** Where it runs and whose it is, for operators. */
export function OperatorCard({ server, operator }: OperatorCardProps) {
  const { vmId, cluster, node, client, orderId, notes } = operator
  const [isNoting, setNoting] = useState(false)
  return (
    <Card>
      <CardHeader
        title="For operators"
        action={
          <Link href={resourcePath('instance', server.id)} className={buttonClass({ size: 'sm' })}>
            Proxmox Manager
          </Link>
        }
      />
      <Facts className="px-5">
        <Fact term="Cluster">{cluster.name}</Fact>
        <Fact term="Node">{node ?? 'Not known'}</Fact>
        <MachineFact of={server.label} term="VM ID" value={String(vmId)} otherwise="" />
        <Fact term="Client">
          {client ? (
            <Link
              href={`${paths.users}?q=${encodeURIComponent(client.name)}`}
              className="text-link"
            >
              {client.name}
            </Link>
          ) : (
            <span className="text-ink-soft">None</span>
          )}
        </Fact>
        {orderId !== null && (
          <Fact term="Order">
            <Link href={`${paths.orders}?order=${orderId}`} className="text-link">
              {orderId}
            </Link>
          </Fact>
        )}
        <Fact term="Name">{server.name}</Fact>
      </Facts>
      <div className="border-t px-5 py-4">
        <div className="mb-1 flex items-center justify-between gap-3">
          <h3 className="font-normal text-ink-soft text-sm">Notes</h3>
          <May duty="run">
            <Button
              size="sm"
              variant="ghost"
              className="-mr-3"
              aria-label={`Change the notes of ${server.label}`}
              onClick={() => setNoting(true)}
            >
              Change
            </Button>
          </May>
        </div>
        <p className="whitespace-pre-wrap break-words">
          {notes ?? <span className="text-ink-soft">None</span>}
        </p>
      </div>
      {isNoting && (
        <Suspense>
          <NotesDialog server={server} onClose={() => setNoting(false)} />
        </Suspense>
      )}
    </Card>
  )
}

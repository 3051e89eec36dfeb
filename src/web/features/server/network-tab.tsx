import { useQuery } from '@tanstack/react-query'
import type { Server } from '#shared/api/overview/servers.ts'
import type { Network } from '#shared/api/servers/network.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Later } from '../../ui/indicator/later.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Fact, Facts, MachineFact } from '../../widgets/facts/facts.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { ReverseNameFact } from './dialogs/reverse-name-fact.tsx'
import { TrafficCard } from './traffic/traffic-card.tsx'

const FirewallCard = lazyPage(() => import('./firewall/firewall-card.tsx'), 'FirewallCard')

const POLL_MS = 30_000

/** How the server is connected, and what is let out of it. */
export function NetworkTab({ server }: { server: Server }) {
  return (
    <div className="space-y-4">
      <Connection server={server} />
      <Later className="h-64 max-w-3xl">
        <FirewallCard server={server} />
      </Later>
    </div>
  )
}

function Connection({ server }: { server: Server }) {
  const { id, label } = server
  const network = useQuery({
    ...query(api.network.get, { params: { id } }),
    staleTime: 0,
    refetchInterval: POLL_MS,
  })
  return (
    <div className="space-y-4">
      <Card className="max-w-3xl" aria-label="Network">
        <CardHeader title="Network" description="Its addresses, and what may leave it." />
        <ListState query={network} failure="The network could not be loaded">
          {({ addresses, prefixes, macAddress, antiSpoof, isMailOpen }) => (
            <>
              <Facts className="px-5">
                {addresses.length === 0 && <Fact term="Address">None yet</Fact>}
                {addresses.map(({ address, family }) => (
                  <MachineFact
                    key={address}
                    of={label}
                    term={`IPv${family} address`}
                    value={address}
                    otherwise=""
                  />
                ))}
                {addresses.map((one) => (
                  <ReverseNameFact key={one.address} instanceId={id} of={one} />
                ))}
                {prefixes.map((prefix) => (
                  <MachineFact
                    key={prefix}
                    of={label}
                    term="Routed network"
                    value={prefix}
                    otherwise=""
                  />
                ))}
                <MachineFact
                  of={label}
                  term="MAC address"
                  value={macAddress}
                  otherwise="Automatic"
                />
                <Fact term="Mail by port 25">
                  {isMailOpen ? 'Open' : 'Closed'}
                  {server.operator && (
                    <May duty="run">
                      <MailButton server={server} isOpen={isMailOpen} />
                    </May>
                  )}
                </Fact>
              </Facts>
              <div className="space-y-3 border-t px-5 py-4">
                <Filter antiSpoof={antiSpoof} />
                {!isMailOpen && !server.operator && (
                  <p className="text-ink-soft text-sm">
                    Mail servers talk to each other over port 25, which is closed here to prevent
                    spam. Sending through a provider on port 587 or 465 works. To have port 25
                    opened, ask the operator.
                  </p>
                )}
              </div>
            </>
          )}
        </ListState>
      </Card>
      {network.data && <TrafficCard id={id} network={network.data} />}
    </div>
  )
}

function Filter({ antiSpoof: { ok, why } }: Pick<Network, 'antiSpoof'>) {
  return ok ? (
    <Note tone="good">Only packets from its own addresses leave this server.</Note>
  ) : (
    <Note tone="warn">Packets with a forged sender may leave this server. {why}</Note>
  )
}

function MailButton({ server: { id, label }, isOpen }: { server: Server; isOpen: boolean }) {
  const change = useAction(api.network.setMail, {
    done: { title: isOpen ? 'Mail closed' : 'Mail opened', description: label },
    failed: 'Nothing was changed',
    refresh: [api.network.get, api.servers.activity],
  })
  return (
    <Button
      size="sm"
      variant="ghost"
      className="-mr-3 ml-1"
      isPending={change.isPending}
      aria-label={`${isOpen ? 'Close' : 'Open'} mail of ${label}`}
      onClick={() => change.run({ params: { id }, body: { isOpen: !isOpen } })}
    >
      {isOpen ? 'Close' : 'Open'}
    </Button>
  )
}

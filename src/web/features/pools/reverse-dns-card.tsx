import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ReverseDns } from '#shared/api/servers/reverse-dns.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { serverPath } from '../../lib/paths/paths.ts'
import { Button } from '../../ui/form/button.tsx'
import { Later } from '../../ui/indicator/later.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'

const DnsServerDialog = lazyPage(() => import('./dns-server-dialog.tsx'), 'DnsServerDialog')

const NAMES = { powerdns: 'PowerDNS', webhook: 'A webhook' }

/** Where reverse names are written to, and what was not taken there. */
export function ReverseDnsCard() {
  const state = useQuery(query(api.reverseDns.get))
  return (
    <ListState query={state} failure="The state of reverse DNS could not be loaded">
      {(data) => <View data={data} />}
    </ListState>
  )
}

function View({ data: { server, set, pending, failed } }: { data: ReverseDns }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card aria-label="Reverse DNS">
      <CardHeader
        title="Reverse DNS"
        description={
          server ? (
            <>
              {NAMES[server.kind]} at <span className="font-mono wrap-anywhere">{server.url}</span>.{' '}
              {namesText(set)} in force
              {pending > 0 && `, ${pending.toLocaleString('en')} being told`}.
            </>
          ) : (
            'Not offered: clients cannot name their addresses until you name a DNS server.'
          )
        }
        action={
          <May duty="run">
            <Button
              size="sm"
              aria-label={server ? 'Edit DNS server' : 'Connect a DNS server'}
              onClick={() => setOpen(true)}
            >
              {server ? 'Edit' : 'Connect'}
            </Button>
          </May>
        }
      />
      {failed.length > 0 && (
        <CardBody className="space-y-4">
          {byReason(failed).map(({ why, list }) => (
            <div key={why}>
              <p>{why}</p>
              <ul className="text-ink-soft text-sm">
                {list.slice(0, NAMED).map((one) => (
                  <li key={one.address}>
                    <Address one={one} /> {one.hostname === null ? 'to be removed' : one.hostname},
                    tried again <RelativeTime at={one.nextAt} />
                  </li>
                ))}
                {list.length > NAMED && <li>and {list.length - NAMED} more</li>}
              </ul>
            </div>
          ))}
        </CardBody>
      )}
      {isOpen && (
        <Later className="h-0">
          <DnsServerDialog server={server} onClose={() => setOpen(false)} />
        </Later>
      )}
    </Card>
  )
}

/** As many addresses are listed with each reason; the rest is a number. */
const NAMED = 5

type Failed = ReverseDns['failed'][number]

const byReason = (failed: readonly Failed[]) =>
  [...new Set(failed.map(({ why }) => why))].map((why) => ({
    why,
    list: failed.filter((one) => one.why === why),
  }))

function Address({ one: { address, instanceId } }: { one: Failed }) {
  const text = <span className="font-mono">{address}</span>
  if (instanceId === null) return text
  return (
    <Link href={`${serverPath(instanceId)}?tab=network`} className="text-link">
      {text}
    </Link>
  )
}

const namesText = (count: number): string =>
  count === 1 ? '1 name is' : `${count.toLocaleString('en')} names are`

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ShieldAlert, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Protection } from '#shared/api/servers/network.ts'
import { faultForOperators } from '#shared/rules/network/firewall-faults.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { serverPath } from '../../lib/paths/paths.ts'
import { Button } from '../../ui/form/button.tsx'
import { Card, CardBody, CardHeader } from '../../ui/layout/card.tsx'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { countText } from './count-text.ts'

/** As many names are listed with each reason, at first and at most; the rest is a number. */
const NAMED = 8
const MOST_NAMED = 200

/** Whether the servers that are sold can send with the address of another. */
export function ProtectionCard() {
  const protection = useQuery(query(api.protection.get))
  return (
    <ListState query={protection} failure="The firewalls could not be loaded">
      {(data) => (data.protected + data.total === 0 ? null : <View data={data} />)}
    </ListState>
  )
}

function View({ data }: { data: Protection }) {
  const [isAsking, setAsking] = useState(false)
  const { toBeSet } = data
  const isGood = data.total === 0
  const Icon = isGood ? ShieldCheck : ShieldAlert
  return (
    <Card aria-label="Forged addresses">
      <CardHeader
        title={
          <span className="flex items-center gap-2">
            <Icon aria-hidden="true" className={isGood ? 'size-5 text-good' : 'size-5 text-warn'} />
            {isGood ? 'Forged addresses stay inside' : `${countText(data.total)} unprotected`}
          </span>
        }
        description={
          isGood
            ? `${countText(data.protected)} can send only from their own addresses.`
            : 'Packets with a forged sender may leave them.'
        }
        action={
          toBeSet > 0 && (
            <May duty="run">
              <Button size="sm" onClick={() => setAsking(true)}>
                Protect {countText(toBeSet)}
              </Button>
            </May>
          )
        }
      />
      {!isGood && (
        <CardBody className="space-y-4">
          {data.faults.map((reason) => (
            <Reason key={reason.fault} {...reason} />
          ))}
        </CardBody>
      )}
      {isAsking && <Ask count={toBeSet} onClose={() => setAsking(false)} />}
    </Card>
  )
}

/** Why they are not, and which: the first few, more at a press. */
function Reason({ fault, servers }: Protection['faults'][number]) {
  const [limit, setLimit] = useState(NAMED)
  const page = useQuery({
    ...query(api.protection.get, { query: { fault, limit } }),
    placeholderData: keepPreviousData,
  })
  const shown = page.data?.unprotected ?? []
  const more = Math.min(servers - shown.length, MOST_NAMED - shown.length)
  return (
    <div>
      <p>{faultForOperators(fault)}</p>
      <p className="text-ink-soft text-sm">
        {shown.map(({ id, label }, at) => (
          <span key={id}>
            {at > 0 && ', '}
            <Link href={`${serverPath(id)}?tab=network`} className="text-link">
              {label}
            </Link>
          </span>
        ))}
        {servers > shown.length && ` and ${servers - shown.length} more`}
      </p>
      {page.data && more > 0 && (
        <Button
          size="sm"
          variant="ghost"
          className="-ml-3"
          isPending={page.isFetching}
          onClick={() => setLimit(MOST_NAMED)}
        >
          Show {more} more
        </Button>
      )}
    </div>
  )
}

function Ask({ count, onClose }: { count: number; onClose: () => void }) {
  const protect = useAction(api.protection.set, {
    done: { title: 'Their firewalls are being set' },
    failed: 'The firewalls were not set',
    refresh: [api.protection.get],
  })
  const submit = async () => {
    if ((await protect.run()).ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Protect ${countText(count)}?`}
      action="Protect"
      isPending={protect.isPending}
      onConfirm={submit}
    >
      Their firewalls in Proxmox are replaced: rules that were made there by hand are removed, and
      port 25 is closed. Everything else stays open.
    </Confirm>
  )
}

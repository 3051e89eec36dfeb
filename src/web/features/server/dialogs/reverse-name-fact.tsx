import { useState } from 'react'
import type { Network } from '#shared/api/servers/network.ts'
import type { ReverseName } from '#shared/api/servers/reverse-dns.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Badge } from '../../../ui/indicator/badge.tsx'
import { Fact } from '../../../widgets/facts/facts.tsx'
import { May } from '../../../widgets/facts/may.tsx'
import { ReverseNameDialog } from './reverse-name-dialog.tsx'

type ReverseNameFactProps = { instanceId: number; of: Network['addresses'][number] }

/** The name of one address, with the way to change it where reverse DNS is offered. */
export function ReverseNameFact({
  instanceId,
  of: { address, family, rdns },
}: ReverseNameFactProps) {
  const [isOpen, setOpen] = useState(false)
  const term = `Reverse name, IPv${family}`
  if (!rdns) {
    return (
      <Fact term={term}>
        <span className="text-ink-soft">Not offered</span>
      </Fact>
    )
  }
  // A long name goes below its term on a phone.
  return (
    <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-6 py-2">
      <dt className="text-ink-soft">{term}</dt>
      <dd className="ml-auto flex min-w-0 flex-wrap items-center justify-end gap-x-3 text-right wrap-anywhere">
        {rdns.hostname === null ? (
          <span className="text-ink-soft">None</span>
        ) : (
          <span className="font-mono">{rdns.hostname}</span>
        )}
        <State rdns={rdns} />
        <May duty="run">
          <Button
            size="sm"
            variant="ghost"
            className="-mr-3"
            aria-label={`Change reverse name of ${address}`}
            onClick={() => setOpen(true)}
          >
            Change
          </Button>
        </May>
        {rdns.state === 'failed' && (
          <span className="w-full text-ink-soft text-xs">{rdns.why}</span>
        )}
      </dd>
      {isOpen && (
        <ReverseNameDialog
          instanceId={instanceId}
          address={address}
          rdns={rdns}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  )
}

function State({ rdns: { hostname, state } }: { rdns: ReverseName }) {
  if (state === 'set') return null
  if (state === 'failed') {
    return (
      <Badge tone="warn" hasMark>
        Not in force yet
      </Badge>
    )
  }
  return <Badge hasMark>{hostname === null ? 'Being removed' : 'Being set'}</Badge>
}

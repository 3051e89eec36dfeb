import type { Server } from '#shared/api/overview/servers.ts'
import type { Firewall } from '#shared/api/servers/firewall.ts'
import type { ClientFirewall } from '#shared/rules/network/firewall-rules.ts'
import { exactTime } from '../../../lib/format/time.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { TrialNote } from './trial-note.tsx'

type FirewallNotesProps = {
  server: Pick<Server, 'id' | 'label'>
  firewall: Firewall
  onTryAgain: ((tried: ClientFirewall) => void) | undefined
}

/** What is to be known about the rules before one reads them. */
export function FirewallNotes({ server, firewall, onTryAgain }: FirewallNotesProps) {
  const { refusal, revertAt, reverted, isApplied } = firewall
  const isLate = revertAt === null && !isApplied
  if (refusal === null && revertAt === null && reverted === null && !isLate) return null
  return (
    <div className="space-y-3 border-b px-5 py-4">
      {refusal !== null && <Note>{refusal}</Note>}
      {revertAt !== null && <TrialNote {...server} revertAt={revertAt} isApplied={isApplied} />}
      {isLate && (
        <Note tone="warn">
          The cluster does not have these rules yet. It is asked again until it has.
        </Note>
      )}
      {revertAt === null && reverted !== null && (
        <Note tone="bad">
          <p>
            The last rules you tried were reverted on {exactTime(new Date(reverted.at))}: they were
            not confirmed in time, or the cluster did not accept them. The rules below are the
            previous ones.
          </p>
          {onTryAgain && (
            <Button size="sm" className="mt-3" onClick={() => onTryAgain(reverted)}>
              Edit the rules that were tried
            </Button>
          )}
        </Note>
      )}
    </div>
  )
}

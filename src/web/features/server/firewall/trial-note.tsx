import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { useServerNow } from '../../../widgets/time/use-server-now.ts'
import { FIREWALL_CHANGED } from './firewall-changed.ts'

type TrialNoteProps = { id: number; label: string; revertAt: string; isApplied: boolean }

/** The seconds that are left, and the button that ends them. The server takes the rules back. */
export function TrialNote({ id, label, revertAt, isApplied }: TrialNoteProps) {
  const now = useServerNow(1000)
  const seconds = Math.max(0, Math.ceil((Date.parse(revertAt) - now) / 1000))
  const confirm = useAction(api.firewall.confirm, {
    done: { title: 'Rules confirmed', description: label },
    failed: 'The rules were not confirmed',
    refresh: FIREWALL_CHANGED,
  })
  if (!isApplied) return <Note>The rules are being set. Then you have a minute to try them.</Note>
  return (
    <Note tone="warn">
      <p className="font-semibold">
        Confirm within{' '}
        <span role="timer" aria-live="off" className="tabular">
          {seconds} s
        </span>
        , or the old rules come back.
      </p>
      <p className="mt-1">
        Try now whether you still reach the server. If you do not, wait: nothing else is needed, not
        even this page. The console works in any case.
      </p>
      <Button
        variant="primary"
        className="mt-3"
        disabled={seconds === 0}
        isPending={confirm.isPending}
        onClick={() => confirm.run({ params: { id } })}
      >
        Confirm the rules
      </Button>
    </Note>
  )
}

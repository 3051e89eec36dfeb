import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import type { PackageChoice } from '#shared/api/shop/package-change.ts'
import { creditTooSmall } from '#shared/rules/instance/package-change.ts'
import { parseAmount } from '#shared/rules/money/money.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { ToggleField } from '../../ui/form/toggle-field.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { SERVER_CHANGED } from '../instance/server-changed.ts'
import { ListState } from '../list/list-state.tsx'
import { costWords, effectWords } from './change-words.ts'
import { PackageRadio } from './package-radio.tsx'

type ChangePackageDialogProps = {
  server: Pick<Server, 'id' | 'label' | 'status'>
  onClose: () => void
}

const cents = (amount: string) => parseAmount(amount) ?? 0

/** Another package: which, what it costs now and later, and when the server stops. */
export function ChangePackageDialog({ server, onClose }: ChangePackageDialogProps) {
  const { id, label, status } = server
  const choices = useQuery({
    ...query(api.packageChange.choices, { params: { id } }),
    staleTime: 0,
  })
  const [packageId, setPackageId] = useState<string>()
  const [restart, setRestart] = useState(true)
  const change = useAction(api.packageChange.change, {
    done: ({ jobId }) => ({
      title: jobId === null ? 'The package changes with the next term' : 'The package is changing',
      description: label,
    }),
    failed: 'The package was not changed',
    refresh: SERVER_CHANGED,
  })
  const chosen = choices.data?.packages.find((one) => one.id === packageId)
  const missing = chosen ? cents(chosen.preview.now) - cents(choices.data?.credit ?? '0') : 0
  const isRunning = status !== 'stopped'
  const submit = async () => {
    if (!chosen) return
    const asks = isRunning && chosen.preview.needsRestart
    const body = { packageId: chosen.id, restart: asks && restart }
    const { ok } = await change.run({ params: { id }, body })
    if (ok) onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Change package"
      description={label}
      verb={chosen?.preview.time === 'at-renewal' ? 'Change with the next term' : 'Change now'}
      isReady={chosen !== undefined && missing <= 0}
      isPending={change.isPending}
      className="space-y-5"
      onSubmit={submit}
    >
      <ListState query={choices} failure="The packages could not be loaded">
        {({ packages }) => (
          <PackageRadio packages={packages} value={packageId} onChange={setPackageId} />
        )}
      </ListState>
      {chosen && (
        <Consequences
          chosen={chosen}
          missing={missing}
          restart={isRunning ? restart : undefined}
          onRestart={setRestart}
        />
      )}
    </FormDialog>
  )
}

type ConsequencesProps = {
  chosen: PackageChoice
  /** What the credit lacks, in cents. */
  missing: number
  /** Undefined where the server is off: it has the size when it starts. */
  restart: boolean | undefined
  onRestart: (restart: boolean) => void
}

function Consequences({ chosen, missing, restart, onRestart }: ConsequencesProps) {
  const { preview } = chosen
  const cost = costWords(preview)
  return (
    <div className="space-y-4">
      <p className="font-semibold">{`${cost.charAt(0).toUpperCase()}${cost.slice(1)}`}</p>
      {missing > 0 && <Note tone="warn">{creditTooSmall(missing)}</Note>}
      <p className="text-ink-soft">{effectWords(preview)}</p>
      {preview.time === 'at-once' && preview.needsRestart && restart !== undefined && (
        <ToggleField
          label="Stop and start it now"
          hint="Otherwise it has the new cores and memory after its next stop and start."
          checked={restart}
          onChange={(event) => onRestart(event.target.checked)}
        />
      )}
    </div>
  )
}

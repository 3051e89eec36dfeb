import { useQuery } from '@tanstack/react-query'
import { Suspense, useId, useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { isWindows } from '#shared/rules/instance/system-of-template.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { lazyPage } from '../../../lib/browser/lazy-page.ts'
import { daysText } from '../../../lib/format/time-words.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { TypedField } from '../../../ui/form/typed-field.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { SERVER_CHANGED } from '../../../widgets/instance/server-changed.ts'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { KeyChoice } from '../../../widgets/wishes/wishes-fields.tsx'
import { keysKept } from './keys-kept.ts'

const UserDataField = lazyPage(
  () => import('../../../widgets/wishes/user-data-field.tsx'),
  'UserDataField',
)

type ReinstallDialogProps = {
  server: Pick<Server, 'id' | 'label' | 'operator' | 'sshKeys'>
  onClose: () => void
}

/** Another system in place of the one it has: which, with which keys, and what is lost. */
export function ReinstallDialog({ server, onClose }: ReinstallDialogProps) {
  const params = { id: server.id }
  const preview = useQuery({ ...query(api.servers.reinstallPreview, { params }), staleTime: 0 })
  const [system, setSystem] = useState<string>()
  const [keys, setKeys] = useState<readonly number[]>()
  const [userData, setUserData] = useState('')
  const [keepsOld, setKeepsOld] = useState(false)
  const [typed, setTyped] = useState('')
  const reinstall = useAction(api.servers.reinstall, {
    done: { title: 'Reinstallation started', description: server.label },
    failed: 'The server was not reinstalled',
    refresh: SERVER_CHANGED,
  })
  const { data } = preview
  const current = data?.systems.find((name) => name === data.osType)
  const osType = system ?? current ?? data?.systems[0] ?? ''
  const takesScript = !isWindows(osType)
  const takesKeys = takesScript
  // An operator does not choose among a client's keys: those that are on it go on.
  const mayChoose = takesKeys && !server.operator
  const chosen = takesKeys ? (keys ?? data?.sshKeyIds ?? []) : []
  const isReady = data !== undefined && osType !== '' && typed.trim() === data.confirm
  const submit = async () => {
    if (!isReady) return
    const script = takesScript && userData.trim() !== '' ? { userData } : {}
    const first = keepsOld ? { snapshotFirst: true } : {}
    const body = { osType, sshKeyIds: [...chosen], ...script, ...first, confirm: typed.trim() }
    const { ok } = await reinstall.run({ params, body })
    if (ok) onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Reinstall"
      description={server.label}
      verb="Reinstall"
      isDanger
      isReady={isReady}
      isPending={reinstall.isPending}
      onSubmit={submit}
    >
      <ListState query={preview} failure="The systems could not be loaded">
        {({ systems, confirm, userData: offer, snapshot }) => (
          <div className="space-y-5">
            <Field label="Operating system" error={systems.length === 0 ? NO_SYSTEM : undefined}>
              {(control) => (
                <Select
                  {...control}
                  value={osType}
                  onChange={(event) => setSystem(event.target.value)}
                  options={systems.map((name) => ({ value: name, label: name }))}
                />
              )}
            </Field>
            {mayChoose && <KeyChoice chosen={chosen} onChange={setKeys} />}
            {server.operator && <p>{keysKept(chosen.length, server.sshKeys.length)}</p>}
            {takesScript && (
              <Suspense>
                <UserDataField
                  value={userData}
                  onChange={setUserData}
                  refusal={offer.refusal}
                  error={reinstall.error}
                />
              </Suspense>
            )}
            <SnapshotFirst offer={snapshot} isChecked={keepsOld} onChange={setKeepsOld} />
            <Consequences hasKeys={chosen.length > 0} keepsOld={keepsOld} />
            <TypedField expected={confirm} value={typed} onChange={setTyped} />
          </div>
        )}
      </ListState>
    </FormDialog>
  )
}

const NO_SYSTEM = 'The operator has prepared no system for this server yet.'

type SnapshotFirstProps = {
  offer: { refusal: string | null; days: number }
  isChecked: boolean
  onChange: (isChecked: boolean) => void
}

/** A way back: the old disk stays beside the new one, as long as its snapshot. */
function SnapshotFirst({ offer: { refusal, days }, isChecked, onChange }: SnapshotFirstProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <Checkbox
        id={id}
        checked={isChecked}
        disabled={refusal !== null}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id} className="font-semibold">
          Take a snapshot first
        </label>
        <p id={`${id}-hint`} className="text-ink-soft">
          {refusal ?? `The old disk is kept for ${daysText(days)}: rolling back restores it.`}
        </p>
      </div>
    </div>
  )
}

function Consequences({ hasKeys, keepsOld }: { hasKeys: boolean; keepsOld: boolean }) {
  return (
    <ul className="list-disc space-y-1.5 pl-5">
      <li>
        {keepsOld ? (
          'The old system is in the list of snapshots, once the new one answers.'
        ) : (
          <>
            <strong className="font-semibold">Everything on the disk is lost</strong> once the new
            system answers.
          </>
        )}{' '}
        If it does not, the old one comes back as it was.
      </li>
      <li>Address, hostname, size and time stay as they are.</li>
      <li>
        The SSH host keys change: your SSH client warns you once.
        {!hasKeys && ' The server gets a new password.'}
      </li>
    </ul>
  )
}

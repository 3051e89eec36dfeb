import { useQuery } from '@tanstack/react-query'
import { Suspense, useId, useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { lazyPage } from '../../../lib/browser/lazy-page.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { TypedField } from '../../../ui/form/typed-field.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { SERVER_CHANGED } from '../../../widgets/instance/server-changed.ts'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { KeyChoice } from '../../../widgets/wishes/wishes-fields.tsx'

const UserDataField = lazyPage(
  () => import('../../../widgets/wishes/user-data-field.tsx'),
  'UserDataField',
)

type ReinstallDialogProps = {
  server: Pick<Server, 'id' | 'label' | 'operator'>
  onClose: () => void
}

/** Another system in place of the one it has: which, with which keys, and what is lost. */
export function ReinstallDialog({ server, onClose }: ReinstallDialogProps) {
  const formId = useId()
  const params = { id: server.id }
  const preview = useQuery({ ...query(api.servers.reinstallPreview, { params }), staleTime: 0 })
  const [system, setSystem] = useState<string>()
  const [keys, setKeys] = useState<readonly number[]>()
  const [userData, setUserData] = useState('')
  const [typed, setTyped] = useState('')
  const reinstall = useAction(api.servers.reinstall, {
    done: { title: 'Reinstallation started', description: server.label },
    failed: 'The server was not reinstalled',
    refresh: SERVER_CHANGED,
  })
  const { data } = preview
  const current = data?.systems.find((name) => name === data.osType)
  const osType = system ?? current ?? data?.systems[0] ?? ''
  const isWindows = /windows/i.test(osType)
  const takesKeys = !server.operator && !isWindows
  const chosen = takesKeys ? (keys ?? data?.sshKeyIds ?? []) : []
  const isReady = data !== undefined && osType !== '' && typed.trim() === data.confirm
  const submit = async () => {
    if (!isReady) return
    const script = isWindows || userData.trim() === '' ? {} : { userData }
    const body = { osType, sshKeyIds: [...chosen], ...script, confirm: typed.trim() }
    const { ok } = await reinstall.run({ params, body })
    if (ok) onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Reinstall"
      description={server.label}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="danger"
            disabled={!isReady}
            isPending={reinstall.isPending}
          >
            Reinstall
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <ListState query={preview} failure="The systems could not be loaded">
          {({ systems, confirm, userData: offer }) => (
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
              {takesKeys && <KeyChoice chosen={chosen} onChange={setKeys} />}
              {!isWindows && (
                <Suspense>
                  <UserDataField
                    value={userData}
                    onChange={setUserData}
                    refusal={offer.refusal}
                    error={reinstall.error}
                  />
                </Suspense>
              )}
              <Consequences hasKeys={chosen.length > 0} />
              <TypedField expected={confirm} value={typed} onChange={setTyped} />
            </div>
          )}
        </ListState>
      </form>
    </Dialog>
  )
}

const NO_SYSTEM = 'The operator has prepared no system for this server yet.'

function Consequences({ hasKeys }: { hasKeys: boolean }) {
  return (
    <ul className="list-disc space-y-1.5 pl-5">
      <li>
        <strong className="font-semibold">Everything on the disk is lost</strong> once the new
        system answers. If it does not, the old one comes back as it was.
      </li>
      <li>Address, hostname, size and time stay as they are.</li>
      <li>
        The SSH host keys change: your SSH client warns you once.
        {!hasKeys && ' The server gets a new password.'}
      </li>
    </ul>
  )
}

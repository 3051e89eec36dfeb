import { Eye, KeyRound, MonitorSmartphone, Pencil, ShieldOff, Trash2 } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import type { ManagedUser } from '#shared/api/people/users.ts'
import { type Duty, hasDuty, mayManage } from '#shared/rules/people/roles.ts'
import { simulateRefusal } from '#shared/rules/people/simulation.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { useMe } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'
import { MenuItem, MenuSeparator } from '../../ui/menu/dropdown-menu.tsx'
import { RowMenu } from '../../ui/menu/row-menu.tsx'
import { NewPasswordDialog } from './new-password-dialog.tsx'
import {
  DeleteUserDialog,
  ReleaseDeviceDialog,
  ResetPasswordDialog,
  ResetSecondFactorDialog,
  SimulateDialog,
} from './user-dialogs.tsx'

const EditUserDialog = lazyPage(() => import('./edit-user-dialog.tsx'), 'EditUserDialog')

type Open =
  | { dialog: 'edit' | 'reset' | 'simulate' | 'release' | 'second-factor' | 'delete' }
  | { dialog: 'new-password'; password: string }

export function UserActions({ user }: { user: ManagedUser }) {
  const [open, setOpen] = useState<Open>()
  const name = userName(user)
  const { role } = useMe()
  const isTheirs = mayManage(role, user.role)
  const may = (duty: Duty) => isTheirs && hasDuty(role, duty)
  if (!may('help')) return null
  return (
    <div className="flex justify-end gap-1">
      {may('run') && (
        <Button size="sm" aria-label={`Edit ${name}`} onClick={() => setOpen({ dialog: 'edit' })}>
          <Pencil aria-hidden="true" className="size-3.5" />
          Edit
        </Button>
      )}
      <RowMenu of={name}>
        {may('run') && (
          <MenuItem icon={<KeyRound />} onSelect={() => setOpen({ dialog: 'reset' })}>
            Reset Password
          </MenuItem>
        )}
        <MenuItem
          icon={<Eye />}
          refusal={simulateRefusal(user)}
          onSelect={() => setOpen({ dialog: 'simulate' })}
        >
          Simulate
        </MenuItem>
        {user.hasDevice && (
          <MenuItem icon={<MonitorSmartphone />} onSelect={() => setOpen({ dialog: 'release' })}>
            Release Device
          </MenuItem>
        )}
        {user.hasSecondFactor && may('own') && (
          <MenuItem icon={<ShieldOff />} onSelect={() => setOpen({ dialog: 'second-factor' })}>
            Reset Second Factor
          </MenuItem>
        )}
        {user.role === 'client' && may('run') && (
          <>
            <MenuSeparator />
            <MenuItem icon={<Trash2 />} isDangerous onSelect={() => setOpen({ dialog: 'delete' })}>
              Delete
            </MenuItem>
          </>
        )}
      </RowMenu>
      {open && <Suspense>{dialogOf(open, user, setOpen)}</Suspense>}
    </div>
  )
}

function dialogOf(open: Open, user: ManagedUser, setOpen: (open?: Open) => void): ReactNode {
  const props = { user, onClose: () => setOpen() }
  switch (open.dialog) {
    case 'edit':
      return <EditUserDialog {...props} />
    case 'reset':
      return (
        <ResetPasswordDialog
          {...props}
          onReset={(password) => setOpen({ dialog: 'new-password', password })}
        />
      )
    case 'new-password':
      return (
        <NewPasswordDialog name={userName(user)} password={open.password} onClose={props.onClose} />
      )
    case 'simulate':
      return <SimulateDialog {...props} />
    case 'release':
      return <ReleaseDeviceDialog {...props} />
    case 'second-factor':
      return <ResetSecondFactorDialog {...props} />
    case 'delete':
      return <DeleteUserDialog {...props} />
  }
}

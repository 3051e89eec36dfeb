import type { ManagedUser } from '#shared/api/people/users.ts'
import { simulateRefusal } from '#shared/rules/people/simulation.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { afterGrace } from '../../lib/format/grace-words.ts'
import { paths } from '../../lib/paths/paths.ts'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { copyOrSay } from '../../widgets/facts/copy.tsx'

type UserDialogProps = { user: ManagedUser; onClose: () => void }

export function DeleteUserDialog({ user, onClose }: UserDialogProps) {
  const remove = useAction(api.users.remove, {
    done: 'User deleted successfully',
    failed: 'Delete failed',
    refresh: [api.users.list, api.users.clients],
  })
  const confirm = async () => {
    const { ok } = await remove.run({ params: { id: user.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete ${userName(user)}?`}
      action="Delete"
      isDangerous
      typed={user.username ?? user.email ?? 'delete'}
      onConfirm={() => void confirm()}
      isPending={remove.isPending}
    >
      The account and its sessions end at once. Its tokens are cancelled: the servers stop now and
      are deleted {afterGrace}. This cannot be undone.
    </Confirm>
  )
}

type ResetPasswordProps = UserDialogProps & { onReset: (newPassword: string) => void }

export function ResetPasswordDialog({ user, onClose, onReset }: ResetPasswordProps) {
  const reset = useAction(api.users.resetPassword, {
    done: ({ newPassword }) => ({
      title: 'Password reset successfully',
      description: `New password: ${newPassword}`,
      duration: 10_000,
    }),
    failed: 'Password reset failed',
  })
  const confirm = async () => {
    const outcome = await reset.run({ params: { id: user.id } })
    if (!outcome.ok) return
    onReset(outcome.result.newPassword)
    await copyOrSay(outcome.result.newPassword)
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Reset the password of ${userName(user)}?`}
      action="Reset Password"
      onConfirm={() => void confirm()}
      isPending={reset.isPending}
    >
      The old password stops working and every session of this account ends. The new password is
      shown to you once.
    </Confirm>
  )
}

export function SimulateDialog({ user, onClose }: UserDialogProps) {
  const simulate = useAction(api.simulation.start, {
    check: () => {
      const description = simulateRefusal(user)
      return description ? { title: 'Simulation failed', description } : undefined
    },
    done: ({ simulatingUser }) =>
      simulatingUser
        ? undefined
        : {
            tone: 'bad',
            title: 'Simulation failed',
            description: 'Invalid response from server - missing user data',
          },
    failed: 'Simulation failed',
  })
  const confirm = async () => {
    const outcome = await simulate.run({ params: { userId: user.id } })
    // A full page load: nothing of the admin's pages may remain.
    if (outcome.ok && outcome.result?.simulatingUser) location.assign(paths.clientDashboard)
    else onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Simulate ${userName(user)}?`}
      action="Simulate"
      onConfirm={() => void confirm()}
      isPending={simulate.isPending}
    >
      You will see the product as this client does, for 30 minutes at most. Buying, passwords and
      credentials are off. Both names are written to the audit log.
    </Confirm>
  )
}

export function ReleaseDeviceDialog({ user, onClose }: UserDialogProps) {
  const release = useAction(api.users.releaseDevice, {
    done: 'Device released successfully',
    failed: 'Release failed',
    refresh: [api.users.list],
  })
  const confirm = async () => {
    const { ok } = await release.run({ params: { id: user.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Release the device of ${userName(user)}?`}
      action="Release Device"
      onConfirm={() => void confirm()}
      isPending={release.isPending}
    >
      The device this account was made on may then register another account.
    </Confirm>
  )
}

export function ResetSecondFactorDialog({ user, onClose }: UserDialogProps) {
  const reset = useAction(api.users.resetSecondFactor, {
    done: 'Second factor turned off',
    failed: 'Reset failed',
    refresh: [api.users.list],
  })
  const confirm = async () => {
    const { ok } = await reset.run({ params: { id: user.id } })
    if (ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Reset the second factor of ${userName(user)}?`}
      action="Reset Second Factor"
      isDangerous
      onConfirm={() => void confirm()}
      isPending={reset.isPending}
    >
      The account is then open by its password alone, and every session of it ends. Do this only for
      a person you have recognised.
    </Confirm>
  )
}

import { useForm } from 'react-hook-form'
import type { ManagedUser } from '#shared/api/people/users.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { UserFieldset } from './user-fields.tsx'
import { changesOf, checkChanges, fieldsOf, type UserFields } from './user-form.ts'

type EditUserDialogProps = { user: ManagedUser; onClose: () => void }

export function EditUserDialog({ user, onClose }: EditUserDialogProps) {
  const before = fieldsOf(user)
  const me = useMe()
  const { register, handleSubmit, formState, watch } = useForm<UserFields>({
    defaultValues: before,
    resolver: zodResolver(checkChanges(before)),
  })
  const update = useAction(api.users.update, {
    done: 'User updated successfully',
    failed: { title: 'Update failed', description: 'Failed to update user.' },
    refresh: [api.users.list, api.users.clients],
  })

  async function submit(after: UserFields) {
    const body = changesOf(before, after)
    if (Object.keys(body).length === 0) return onClose()
    const { ok } = await update.run({ params: { id: user.id }, body })
    if (ok) onClose()
  }

  return (
    <FormDialog
      onClose={onClose}
      title="Edit User"
      description={userName(user)}
      verb="Save"
      isPending={update.isPending}
      onSubmit={handleSubmit(submit)}
    >
      <UserFieldset
        register={register}
        errors={formState.errors}
        role={watch('role')}
        isOwn={me.id === user.id}
      />
    </FormDialog>
  )
}

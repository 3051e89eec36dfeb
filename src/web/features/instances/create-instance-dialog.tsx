import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { bodyOf, type CreateFields, checkInstance, EMPTY_INSTANCE } from './create-form.ts'
import { CreateInstanceFields } from './create-instance-fields.tsx'
import { type NewClient, NewClientNote } from './new-client-note.tsx'

/**
 * A new client is created first, then the instance. If the second step fails the client stays: its
 * password is shown, and the next attempt uses it instead of creating another.
 */
export function CreateInstanceDialog({ onClose }: { onClose: () => void }) {
  const [newClient, setNewClient] = useState<NewClient>()
  const [isMade, setMade] = useState(false)
  const form = useForm<CreateFields>({
    defaultValues: EMPTY_INSTANCE,
    resolver: zodResolver(checkInstance),
  })
  const createClient = useAction(api.users.createClient, {
    failed: 'Error',
    refresh: [api.users.clients, api.users.list],
  })
  const create = useAction(api.instances.create, {
    done: 'Instance created successfully',
    failed: 'Error',
    refresh: [api.instances.list, api.tokens.list, api.dashboard.clients, api.stats.get],
  })

  async function clientOf(fields: CreateFields): Promise<number | undefined> {
    if (fields.client === 'existing') return Number(fields.clientUserId)
    const email = fields.email.trim()
    const outcome = await createClient.run({ body: { email, role: 'client' } })
    if (!outcome.ok) return undefined
    const { id, username, generatedPassword } = outcome.result
    setNewClient({ email, username, password: generatedPassword })
    form.setValue('client', 'existing')
    form.setValue('clientUserId', String(id))
    return id
  }

  async function submit(fields: CreateFields) {
    const clientUserId = await clientOf(fields)
    if (clientUserId === undefined) return
    const { ok } = await create.run({ body: bodyOf(fields, clientUserId) })
    if (!ok) return
    // The dialog with the only copy of a password stays open.
    if (newClient || fields.client === 'new') setMade(true)
    else onClose()
  }

  if (isMade && newClient) {
    return (
      <Dialog
        isOpen
        isSticky
        onClose={onClose}
        title="Instance created successfully"
        footer={
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <NewClientNote client={newClient} />
      </Dialog>
    )
  }
  return (
    <FormDialog
      isSticky={newClient !== undefined}
      onClose={onClose}
      title="Create Instance"
      description="Turns a token into an instance of a client."
      verb="Create Instance"
      isPending={createClient.isPending || create.isPending}
      onSubmit={form.handleSubmit(submit)}
    >
      {newClient && (
        <div className="mb-5">
          <NewClientNote client={newClient} />
        </div>
      )}
      <CreateInstanceFields form={form} />
    </FormDialog>
  )
}

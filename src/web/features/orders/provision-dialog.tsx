import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Order } from '#shared/api/shop/orders.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { NotByHand } from './order-wishes.tsx'
import { ProvisionFieldset } from './provision-fields.tsx'
import {
  bodyOf,
  checkProvision,
  EMPTY_PROVISION,
  isComplete,
  type ProvisionFields,
} from './provision-form.ts'
import { REFRESHED } from './refreshed.ts'

type ProvisionDialogProps = { order: Order; onClose: () => void }

/** Gives a paid order an existing VM. */
export function ProvisionDialog({ order, onClose }: ProvisionDialogProps) {
  const form = useForm<ProvisionFields>({
    defaultValues: EMPTY_PROVISION,
    resolver: zodResolver(checkProvision),
  })
  const [isShort, setShort] = useState(false)
  // What the client asked for is read before the VM is given, so nothing is sent without it.
  const details = useQuery({
    ...query(api.orders.details, { params: { id: order.id } }),
    staleTime: 0,
  })
  const update = useAction(api.orders.update, {
    done: { title: 'Order provisioned', description: `${order.planName} is active now.` },
    failed: 'The order was not provisioned',
    refresh: REFRESHED,
  })
  async function submit(fields: ProvisionFields) {
    const { ok } = await update.run({ params: { id: order.id }, body: bodyOf(fields) })
    if (ok) onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Provision order"
      description={`Order ${order.id}: ${order.planName}${order.osType ? `, ${order.osType}` : ''}, for ${order.clientName ?? 'an account that is deleted'}.`}
      verb="Provision"
      isReady={isComplete(form.watch()) && !isShort && details.data !== undefined}
      isPending={update.isPending}
      onSubmit={form.handleSubmit(submit)}
      className="space-y-5"
    >
      <ListState
        query={details}
        failure="The client’s choices could not be loaded"
        skeleton={false}
      >
        {({ wishes }) => wishes && <NotByHand wishes={wishes} />}
      </ListState>
      <ProvisionFieldset form={form} orderId={order.id} onShortfall={setShort} />
    </FormDialog>
  )
}

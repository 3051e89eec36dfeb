import type { ProviderSetup } from '#shared/api/money/provider-keys.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { Confirm } from '../../../ui/overlay/confirm.tsx'
import { nameOf } from './provider-words.ts'

/** What shows a provider, and is read again when one changes. */
export const REFRESHED = [api.providerKeys.list, api.payments.status, api.paymentMethods.list]

export const useTurn = () =>
  useAction(api.providerKeys.turn, {
    done: ({ name, isOffered }) => ({
      title: `${nameOf(name)} is ${isOffered ? 'offered' : 'turned off'}`,
    }),
    failed: 'Nothing was changed',
    refresh: REFRESHED,
  })

type QuestionProps = { setup: ProviderSetup; onClose: () => void }

export function TurnOff({ setup, onClose }: QuestionProps) {
  const turn = useTurn()
  const { name: provider, openPayments } = setup
  const confirm = async () => {
    const outcome = await turn.run({ params: { provider }, body: { isOn: false } })
    if (outcome.ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Turn off ${nameOf(provider)}?`}
      action="Turn off"
      onConfirm={() => void confirm()}
      isPending={turn.isPending}
    >
      Buyers can no longer choose it. Payments that clients began there are still settled and
      refunded; {openPayments === 1 ? 'one of them is' : `${openPayments} of them are`} open now.
    </Confirm>
  )
}

export function RemoveKeys({ setup, onClose }: QuestionProps) {
  const { name: provider } = setup
  const remove = useAction(api.providerKeys.remove, {
    done: `The keys of ${nameOf(provider)} are removed`,
    failed: 'Nothing was changed',
    refresh: REFRESHED,
  })
  const confirm = async () => {
    const outcome = await remove.run({ params: { provider } })
    if (outcome.ok) onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Remove the keys of ${nameOf(provider)}?`}
      action="Remove keys"
      onConfirm={() => void confirm()}
      isPending={remove.isPending}
      isDangerous
    >
      What was paid there can then be given back as credit only, and money that still comes there is
      not noticed.
    </Confirm>
  )
}

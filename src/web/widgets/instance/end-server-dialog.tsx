import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EndPreview } from '#shared/api/servers/instances.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { isNothing } from '../../lib/billing/credit.ts'
import { priceText } from '../../lib/format/price.ts'
import { exactTime } from '../../lib/format/time.ts'
import { TypedField } from '../../ui/form/typed-field.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { type Refund, RefundFields } from '../billing/refund-fields.tsx'
import { Fact, Facts } from '../facts/facts.tsx'
import { ListState } from '../list/list-state.tsx'
import { SERVER_CHANGED } from './server-changed.ts'

type EndServerDialogProps = {
  instance: { id: number; name: string }
  /** Operators choose the refund; an owner gets none. */
  audience: 'operator' | 'owner'
  onClose: () => void
  onEnded?: () => void
}

/** The confirmation before a client's server ends, used wherever that is possible. */
export function EndServerDialog({ instance, audience, onClose, onEnded }: EndServerDialogProps) {
  const params = { id: instance.id }
  const preview = useQuery({ ...query(api.instances.preview, { params }), staleTime: 0 })
  const [refund, setRefund] = useState<Refund>(audience === 'operator' ? 'credit' : 'none')
  const [typed, setTyped] = useState('')
  const end = useAction(api.instances.end, {
    done: { title: 'Server ended', description: instance.name },
    failed: 'The server was not ended',
    refresh: SERVER_CHANGED,
  })
  const { data } = preview
  const isReady = data !== undefined && typed.trim() === data.confirm
  const submit = async () => {
    if (!isReady) return
    const hasMoney = audience === 'operator' && !isNothing(data.refundable.amount)
    const body = { confirm: typed.trim(), refund: hasMoney ? refund : 'none' } as const
    const { ok } = await end.run({ params, body })
    if (!ok) return
    onClose()
    onEnded?.()
  }
  return (
    <FormDialog
      onClose={onClose}
      title="End server"
      description={instance.name}
      verb="End server"
      isDanger
      isReady={isReady}
      isPending={end.isPending}
      onSubmit={submit}
    >
      <ListState query={preview} failure="The server could not be loaded">
        {(found) => (
          <div className="space-y-5">
            <p>{consequence(found)}</p>
            <ServerFacts preview={found} audience={audience} />
            {audience === 'owner' ? (
              <p>Unused time is not refunded.</p>
            ) : (
              <RefundFields
                refundable={found.refundable}
                isDelivered={!found.isComing}
                refund={refund}
                onChange={setRefund}
              />
            )}
            <TypedField expected={found.confirm} value={typed} onChange={setTyped} />
          </div>
        )}
      </ListState>
    </FormDialog>
  )
}

const consequence = ({ isComing, keptUntil }: EndPreview): string =>
  isComing || keptUntil === null
    ? 'The server is still being created. Creating it stops now, and nothing is kept.'
    : `The server stops now. It is kept until ${exactTime(new Date(keptUntil))}, then deleted with everything on it.`

type ServerFactsProps = { preview: EndPreview; audience: EndServerDialogProps['audience'] }

function ServerFacts({ preview, audience }: ServerFactsProps) {
  const { clientName, cluster, vmId, paidUntil } = preview
  return (
    <Facts className="border-y">
      {audience === 'operator' && <Fact term="Client">{clientName ?? 'Account deleted'}</Fact>}
      {cluster !== null && <Fact term="Cluster">{cluster}</Fact>}
      <Fact term="VM ID">
        <span className="font-mono">{vmId}</span>
      </Fact>
      <Fact term="Paid until">
        {paidUntil ? exactTime(new Date(paidUntil)) : 'Not delivered yet'}
      </Fact>
      {audience === 'operator' && (
        <Fact term="Unused">
          <span className="tabular">{priceText(preview.refundable.amount)}</span>
        </Fact>
      )}
    </Facts>
  )
}

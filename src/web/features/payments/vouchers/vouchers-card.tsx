import { useQuery } from '@tanstack/react-query'
import { Plus, Ticket } from 'lucide-react'
import { Suspense, useState } from 'react'
import { type Voucher, VoucherState } from '#shared/api/money/vouchers.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { lazyPage } from '../../../lib/browser/lazy-page.ts'
import { priceText } from '../../../lib/format/price.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Segments } from '../../../ui/form/segments.tsx'
import { Badge, type Tone } from '../../../ui/indicator/badge.tsx'
import { Card, CardBody, CardHeader } from '../../../ui/layout/card.tsx'
import { AskedButton } from '../../../widgets/list/asked-button.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { RelativeTime } from '../../../widgets/time/relative-time.tsx'

const MakeDialog = lazyPage(() => import('./make-dialog.tsx'), 'MakeDialog')

const FILTERS: { value: VoucherState; label: string }[] = [
  { value: 'unused', label: 'Unused' },
  { value: 'used', label: 'Used' },
  { value: 'expired', label: 'Expired' },
]
const TONES: Record<VoucherState, Tone> = { unused: 'good', used: 'idle', expired: 'warn' }

/** Vouchers: made in batches, listed without their codes. */
export function VouchersCard() {
  const [state, setState] = useState<VoucherState>('unused')
  const list = useQuery({ ...query(api.vouchers.list, { query: { state } }), staleTime: 0 })
  const [isMaking, setMaking] = useState(false)
  return (
    <Card>
      <CardHeader
        title="Vouchers"
        description="Money that a client brings as a code. Which account used one is not stored."
        action={
          <Button onClick={() => setMaking(true)}>
            <Plus aria-hidden="true" className="size-4" />
            Make vouchers
          </Button>
        }
      />
      <CardBody>
        <Segments
          label="Which vouchers"
          value={state}
          onChange={(chosen) => setState(VoucherState.parse(chosen))}
          options={FILTERS}
        />
      </CardBody>
      <ListState query={list} failure="The vouchers could not be loaded">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={Ticket} title={`No ${state} vouchers`}>
              Their codes are shown once, when they are made.
            </EmptyState>
          ) : (
            <ul className="max-h-96 divide-y overflow-y-auto border-t">
              {rows.map((voucher) => (
                <VoucherItem key={voucher.id} voucher={voucher} />
              ))}
            </ul>
          )
        }
      </ListState>
      {isMaking && (
        <Suspense>
          <MakeDialog onClose={() => setMaking(false)} />
        </Suspense>
      )}
    </Card>
  )
}

function VoucherItem({ voucher }: { voucher: Voucher }) {
  const remove = useAction(api.vouchers.remove, {
    done: { title: 'Voucher withdrawn' },
    failed: 'The voucher was not withdrawn',
    refresh: [api.vouchers.list],
  })
  const name = `…${voucher.ending}`
  return (
    <li className="flex items-center justify-between gap-4 px-5 py-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-mono font-semibold">{name}</span>
          <span className="tabular">{priceText(voucher.amount)}</span>
          <Badge tone={TONES[voucher.state]}>{voucher.state}</Badge>
        </p>
        <p className="break-words text-ink-soft text-xs">
          Made <RelativeTime at={voucher.createdAt} />
          {voucher.usedAt && (
            <>
              , used <RelativeTime at={voucher.usedAt} />
            </>
          )}
          {voucher.expiresAt && !voucher.usedAt && (
            <>
              , ends <RelativeTime at={voucher.expiresAt} />
            </>
          )}
          {voucher.note && ` · ${voucher.note}`}
        </p>
      </div>
      {voucher.state !== 'used' && (
        <AskedButton
          verb="Withdraw"
          name={name}
          isDisabled={false}
          isPending={remove.isPending}
          act={() => remove.run({ params: { id: voucher.id } })}
        >
          Its code is worth nothing then. This cannot be undone.
        </AskedButton>
      )}
    </li>
  )
}

import { useQuery } from '@tanstack/react-query'
import type { PaymentWay } from '#shared/api/money/payment-methods.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Note } from '../../ui/feedback/note.tsx'

type Outage = PaymentWay & { message: string }

/** Credit is spent first by itself, so it is nothing to choose. */
export function useWaysToPay(): { ways: PaymentWay[]; outages: Outage[] } {
  const ways = useQuery({ ...query(api.paymentMethods.list), staleTime: 0 })
  const outages = useQuery({ ...query(api.paymentMethods.outages), staleTime: 0 })
  return {
    ways: (ways.data ?? []).filter(({ kind }) => kind !== 'credit'),
    outages: outages.data ?? [],
  }
}

/** Says which way does not work right now; the others do. */
export function Outages({ outages }: { outages: readonly Outage[] }) {
  return outages.map(({ id, message }) => (
    <Note key={id} tone="warn">
      {message}
    </Note>
  ))
}

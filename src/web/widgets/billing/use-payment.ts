import { useQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'

const HOW: Record<string, string> = {
  sandbox: 'Test mode: no money moves',
  manual:
    'You pay the provider directly; the server is made once the payment is marked as received.',
}
const ELSEWHERE = 'You pay on the next page. The server is made once the payment has arrived.'

/** How payment works in the chosen way, or in the first one, in a sentence. */
export function usePaymentNote(way: string | undefined): string {
  const { data } = useQuery(query(api.system.settings))
  return HOW[way ?? data?.paymentProvider ?? ''] ?? ELSEWHERE
}

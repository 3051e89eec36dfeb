import { PaymentState } from '#shared/api/money/payments.ts'
import { dayIn, numberIn } from '../../lib/paths/view-values.ts'

/** Which payments are shown; kept in the address. */
export type PaymentView = {
  provider: string | undefined
  state: PaymentState | undefined
  q: string | undefined
  before: number | undefined
  from: string | undefined
  to: string | undefined
}

export function readPaymentView(search: URLSearchParams): PaymentView {
  const provider = search.get('provider')
  const q = search.get('q')?.trim().slice(0, 100)
  return {
    provider: provider && /^[a-z]{1,40}$/.test(provider) ? provider : undefined,
    state: PaymentState.safeParse(search.get('state')).data,
    q: q || undefined,
    before: numberIn(search.get('before')),
    from: dayIn(search.get('from')),
    to: dayIn(search.get('to')),
  }
}

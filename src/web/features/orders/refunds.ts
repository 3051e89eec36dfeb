import type { OrderDetails } from '#shared/api/orders.ts'

export type Refund = 'credit' | 'provider' | 'none'

type RefundOption = { value: Refund; label: string; text: string; refusal?: string }

const KEPT: RefundOption = {
  value: 'none',
  label: 'Not at all',
  text: 'It was delivered and is earned.',
}

type Refundable = {
  order: Pick<OrderDetails['order'], 'status'>
  refundable: Pick<OrderDetails['refundable'], 'byProvider'>
}

/** Where the money of a cancelled order can go; kept is only what was delivered for. */
export const refundChoices = ({
  order,
  refundable: { byProvider },
}: Refundable): readonly RefundOption[] => [
  {
    value: 'credit',
    label: 'As credit',
    text: 'It pays the next order or renewal of the client by itself.',
  },
  {
    value: 'provider',
    label: 'The way it came',
    text: 'The payment provider sends it back.',
    ...(!byProvider && { refusal: 'The payment provider cannot send this one back by itself.' }),
  },
  ...(order.status === 'active' ? [KEPT] : []),
]

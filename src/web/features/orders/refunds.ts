import type { OrderDetails } from '#shared/api/orders.ts'

export type Refund = 'credit' | 'provider'

type RefundOption = { value: Refund; label: string; text: string; refusal?: string }

/** Where the money of a cancelled order can go. */
export const refundChoices = ({
  byProvider,
}: Pick<OrderDetails['refundable'], 'byProvider'>): readonly RefundOption[] => [
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
]

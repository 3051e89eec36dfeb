import { isNothing } from '../../lib/credit.ts'
import { priceText } from '../../lib/price.ts'
import { Card } from '../../ui/card.tsx'

export function CreditCard({ credit }: { credit: string }) {
  return (
    <Card className="px-5 py-4" aria-label="Credit">
      <h3 className="text-ink-soft text-sm">Credit</h3>
      <p className="tabular mt-2 font-semibold text-xl">{priceText(credit)}</p>
      <p className="mt-2 text-ink-soft">
        {isNothing(credit)
          ? 'Money that fits no order is kept here for you.'
          : 'It pays your next order or renewal by itself.'}
      </p>
    </Card>
  )
}

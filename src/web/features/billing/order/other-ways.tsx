import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Outages, useWaysToPay } from '../../../widgets/billing/ways-to-pay.tsx'
import { usePay } from './use-pay.ts'

type OtherWaysProps = { details: ClientOrderDetails; isSimulated: boolean }

/** Lets the client pay the same order in another way; nothing where there is only one. */
export function OtherWays({ details, isSimulated }: OtherWaysProps) {
  const { ways, outages } = useWaysToPay()
  const pay = usePay(details.order.id)
  const others = ways.filter(({ id }) => id !== details.checkout?.way)
  if (ways.length + outages.length < 2) return null
  return (
    <div className="space-y-3 border-t pt-4">
      {others.length > 0 && (
        <fieldset className="flex flex-wrap items-center gap-2">
          <legend className="mb-2 text-ink-soft">Or pay another way</legend>
          {others.map(({ id, name }) => (
            <Button
              key={id}
              disabled={isSimulated}
              isPending={pay.isPending}
              onClick={() => void pay.run(id)}
            >
              {name}
            </Button>
          ))}
        </fieldset>
      )}
      <Outages outages={outages} />
    </div>
  )
}

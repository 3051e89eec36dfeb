import { useQuery } from '@tanstack/react-query'
import type { PaymentStatus } from '#shared/api/money/payments.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { WaysForm } from './ways-form.tsx'

/** The ways to pay: their order, their names, and which are hidden. */
export function WaysCard() {
  const status = useQuery(query(api.payments.status))
  return (
    <Card>
      <CardHeader
        title="Ways to pay"
        description="What buyers choose from, in this order. Credit is always spent first."
      />
      <ListState query={status} failure="The ways to pay could not be loaded">
        {(data) => <WaysForm key={keyOf(data)} status={data} />}
      </ListState>
    </Card>
  )
}

/** The form begins again where what is stored has changed. */
const keyOf = ({ ways, instructions }: PaymentStatus): string =>
  JSON.stringify([ways.map(({ id, name, isHidden }) => [id, name, isHidden]), instructions])

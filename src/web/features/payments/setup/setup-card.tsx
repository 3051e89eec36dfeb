import { useQuery } from '@tanstack/react-query'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { Card, CardBody, CardHeader } from '../../../ui/layout/card.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { ProviderRow } from './provider-row.tsx'

/** The payment providers: whose keys are here, and which are offered. */
export function SetupCard() {
  const setups = useQuery(query(api.providerKeys.list))
  return (
    <Card>
      <CardHeader
        title="Providers"
        description="Keys are sealed when you save them and never shown again. What the environment sets wins."
      />
      <ListState query={setups} failure="The providers could not be loaded">
        {(data) => (
          <CardBody>
            <ul className="divide-y border-y">
              {data.map((setup) => (
                <ProviderRow key={setup.name} setup={setup} />
              ))}
            </ul>
          </CardBody>
        )}
      </ListState>
    </Card>
  )
}

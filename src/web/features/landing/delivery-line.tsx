import { useQuery } from '@tanstack/react-query'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { deliveryWords } from './delivery-words.ts'

/** What the last 30 days were like; nothing while there are no figures. */
export function DeliveryLine() {
  const { data } = useQuery({ ...query(api.delivery.figures), staleTime: 5 * MINUTE_MS })
  return <>{data && deliveryWords(data)}</>
}

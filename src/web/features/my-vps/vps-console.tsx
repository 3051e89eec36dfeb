import { useQuery } from '@tanstack/react-query'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { ConsoleButton } from '../../widgets/console/console-button.tsx'

/** The button to the server's screen, once its power state is known. */
export function VpsConsole({ token }: { token: ClientToken }) {
  const { data } = useQuery(query(api.client.instances))
  const instance = data?.find(({ id }) => id === token.assignedInstanceId)
  return instance ? <ConsoleButton instance={instance} hasText /> : null
}

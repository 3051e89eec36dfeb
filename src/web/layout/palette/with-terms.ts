import type { ClientToken } from '#shared/api/overview/client.ts'
import type { Powered } from '../../widgets/power/powered.ts'

type Listed = Powered & { tokenId: number | null }
type Terms = readonly Pick<ClientToken, 'id' | 'status'>[]

/** The list of a client's servers does not tell whether the time of one is over; its token does. */
export const withTerms = (
  instances: readonly Listed[] | undefined,
  tokens: Terms | undefined,
): Powered[] | undefined =>
  instances?.map((instance) => ({
    ...instance,
    term: tokens?.find(({ id }) => id === instance.tokenId)?.status ?? null,
  }))
